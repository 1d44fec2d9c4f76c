import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

@Suite struct `Merging duplicates` {
  private static let merging = MigrationFixture.toV3.merging(["duplicates": .text("merged")]) { $1 }

  private func remaining(_ values: [String: ParameterValue]) throws -> (Verification, [String]) {
    let bench = try MigrationFixture.tasks()
    let opened = try bench.open(Self.merging.merging(values) { $1 }) { trial in
      // Make 14 the newest of 4, 14 and 24, and 19 newer than 9, which has no date; give 24 and 40
      // more values.
      try Connection(path: trial.store.path).executeScript([
        "UPDATE ZTASK SET ZMODIFIEDAT = 5.5 WHERE Z_PK IN (4, 19, 24)",
        "UPDATE ZTASK SET ZMODIFIEDAT = 6 WHERE Z_PK = 14",
        "UPDATE ZTASK SET ZNOTES = 'more' WHERE Z_PK IN (40, 24)",
        "UPDATE ZTASK SET ZDUEDATE = 7 WHERE Z_PK IN (40, 24)",
      ])
      try FileManager.default.removeItem(atPath: trial.start.path)
      try FileManager.default.copyItem(atPath: trial.store.path, toPath: trial.start.path)
    }
    let verification = try opened.finish()
    let store = try Connection(path: opened.trial.store.path)
    let statement = try store.prepare(
      "SELECT Z_PK FROM ZTASK WHERE Z_PK IN (4, 14, 24, 9, 19, 32, 40) ORDER BY Z_PK"
    )
    var keys: [String] = []
    while try statement.step() { keys.append(statement.text(at: 0)) }
    return (verification, keys)
  }

  @Test(arguments: [
    ("first", ["4", "9", "32"]), ("newest", ["14", "19", "32"]),
    ("mostComplete", ["9", "24", "40"]),
  ])
  func `keeps the object that the rule says`(
    rule: (name: String, survivors: [String])
  ) throws {
    let (verification, keys) = try remaining(["survivor": .text(rule.name)])
    #expect(keys == rule.survivors)
    #expect(verification.notes == ["4 duplicates merged"])
  }

  @Test func `tells of the children that cascades took`() throws {
    let (verification, keys) = try remaining(["children": .text("cascaded")])
    #expect(keys == ["4", "9", "32"])
    // The deleted duplicates have three subtasks and an attachment.
    #expect(verification.notes == ["4 duplicates deleted"])
    #expect(
      verification.losses == [
        "cascades deleted 1 Attachment together with duplicates",
        "cascades deleted 3 Subtask together with duplicates",
      ]
    )
  }

  @Test func `finds every cluster of the generator's answer key`() throws {
    let folder = URL(fileURLWithPath: MigrationFixture.models).deletingLastPathComponent().path
    let bench = try KindBench<MigrationWorkload>(
      recipe: RecipeReference(path: "\(folder)/recipes/tasks.yaml", objects: ["Task": 300])
    )
    let notes = try bench.verify(Self.merging).notes
    let words = try #require(
      notes.last?.wholeMatch(of: /Task: (\d+) of (\d+) known groups of duplicates found/)
    )
    #expect(words.1 == words.2)
    #expect(Int(words.1).map { $0 > 1 } == true)
  }

  @Test func `says which clusters a constraint cannot find`() throws {
    let folder = URL(fileURLWithPath: MigrationFixture.models).deletingLastPathComponent().path
    let bench = try KindBench<MigrationWorkload>(
      recipe: RecipeReference(
        path: "\(folder)/recipes/contacts-duplicates.yaml",
        objects: ["Contact": 400]
      )
    )
    let notes = try bench.verify([
      "to": .text(MigrationFixture.models + "/contacts/v2.yaml"), "duplicates": .text("merged"),
      "survivor": .text("newest"),
    ]).notes
    let note = try #require(notes.last)
    #expect(
      note.contains(
        "groups of duplicates found; the copies in the other groups differ in unique attributes"
      )
    )
  }

  @Test func `names the tasks whose low priority a guide's stage raises`() throws {
    let bench = try MigrationFixture.tasks()
    let values: [String: ParameterValue] = [
      "strategy": .text("customStage"), "entity": .text("Task"), "attribute": .text("sortOrder"),
      "transformation": .text("zeroToOne"),
    ]
    let losses = try bench.verify(values.merging(MigrationFixture.toV2) { $1 }).losses
    #expect(
      losses == [
        "40 objects really had 'sortOrder' = 0, and have 1 now: Task 1, 2, 3, 4, 5 and 35 more"
      ]
    )
  }
}
