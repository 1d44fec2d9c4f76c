import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

@Suite struct `A migration into a new store` {
  private static let ways: [[String: ParameterValue]] = [
    ["strategy": .text("sideBySide"), "batchSize": .integer(0)],
    ["strategy": .text("sideBySide"), "batchSize": .integer(3)],
    ["strategy": .text("exportImport"), "batchSize": .integer(50)],
    ["strategy": .text("gradual")],
  ]

  // MARK: Duplicates

  @Test func `counts the rows that a unique target merges in silence`() throws {
    let bench = try MigrationFixture.tasks()
    var digests: Set<String> = []
    for way in Self.ways {
      let values: [String: ParameterValue] = ["duplicates": .text("upserted")]
      let opened = try bench.open(
        way.merging(MigrationFixture.toV3) { $1 }.merging(values) { $1 }
      )
      let verification = try opened.finish()
      #expect(opened.figures["objects.merged"] == 4)
      #expect(verification.notes == ["4 duplicates merged without an error"])
      digests.insert(verification.digest)
    }
    #expect(digests.count == 1)
  }

  @Test func `catches every mutation of what was merged in silence`() throws {
    try MigrationFixture.expectMutationsCaught(
      Self.ways[1].merging(MigrationFixture.toV3) { $1 }
        .merging(["duplicates": .text("upserted")]) { $1 }
    )
  }

  /// The name of its inverse decides whether a one-to-one is written on the cover's or the book's
  /// side.
  @Test(arguments: ["book", "wrapped"])
  func `merges one-to-ones and ordered relationships in silence, and all others`(
    inverse: String
  ) throws {
    let bench = try LibraryFixture.bench()
    let path = try LibraryFixture.write(
      LibraryFixture.nextModel(isUnique: true, coverInverse: inverse),
      in: bench
    )
    var digests: Set<String> = []
    for way in Self.ways {
      let verification = try bench.verify(
        way.merging(["to": path, "duplicates": .text("upserted")]) { $1 }
      )
      #expect(verification.notes == ["5 duplicates merged without an error"])
      digests.insert(verification.digest)
    }
    #expect(digests.count == 1)
  }

  // MARK: Missing values

  private func dirty(_ rule: String, _ way: [String: ParameterValue]) throws -> TrialResponse {
    let bench = try MigrationFixture.tasks()
    try Connection(path: bench.original.path).executeScript([
      "UPDATE ZTASK SET ZTITLE = NULL, ZCREATEDAT = NULL WHERE Z_PK IN (3, 8)",
      "UPDATE ZTASK SET ZID = NULL WHERE Z_PK = 11",
      "UPDATE ZPROJECT SET ZCREATEDAT = NULL WHERE Z_PK = 2",
    ])
    return try bench.perform(
      way.merging(MigrationFixture.toV2) { $1 }.merging(["onNil": .text(rule)]) { $1 }
    )
  }

  @Test(arguments: ways.indices)
  func `fails on a missing value, leaves it out or fills it`(way: Int) throws {
    let failing = try dirty("fail", Self.ways[way])
    guard case .failed(let reason) = failing.outcome else {
      Issue.record("\(failing.outcome)")
      return
    }
    #expect("\(reason)".contains("is required and has no value"))
    for (rule, losses) in [
      (
        "skip",
        [
          "1 object of Project left out, because a required value is missing",
          "3 objects of Task left out, because a required value is missing",
        ]
      ),
      (
        "default",
        [
          "1 missing value of Project filled with defaults",
          "5 missing values of Task filled with defaults",
        ]
      ),
    ] {
      let response = try dirty(rule, Self.ways[way])
      guard case .passed(let verification) = response.outcome else {
        Issue.record("\(rule): \(response.outcome)")
        continue
      }
      #expect(verification.losses == losses)
      let name = rule == "skip" ? "objects.skipped" : "values.substituted"
      let figure = response.iterations.first?.first { $0.name == name }?.value
      #expect(figure == (rule == "skip" ? 4 : 6))
    }
  }

  // MARK: Finishing

  private static let checks = ["counts", "full"]

  @Test(arguments: checks)
  func `takes the old store's place once it was checked`(check: String) throws {
    let bench = try LibraryFixture.bench()
    let path = try LibraryFixture.write(LibraryFixture.nextModel(isUnique: false), in: bench)
    for way in Self.ways {
      let opened = try bench.open(
        way.merging([
          "to": path, "check": .text(check), "swap": .boolean(true),
          "backup": .text("copy"), "history": .text("on"),
        ]) { $1 }
      )
      _ = try opened.finish()
      let figures = opened.figures
      for phase in ["backup", "migrate", "check", "marker", "swap", "removal"] {
        #expect(figures["phase.\(phase)"] != nil, "\(phase)")
      }
      let store = opened.trial.store
      let files = try FileManager.default.contentsOfDirectory(atPath: store.folder)
      #expect(files.filter { $0.contains("previous") || $0.hasSuffix(".new") } == [])
      #expect(files.contains(".own.sqlite.migrated"))
      #expect(try PersistentStore.open(store).model.versionIdentifiers == ["2"])
      // External files of only the old store are removed; those of the new store remain.
      let blobs = try FileManager.default.contentsOfDirectory(atPath: store.externalDataFolder)
      let references = try Connection(path: store.path).integer(
        "SELECT count(*) FROM ZPUBLICATION WHERE substr(ZSCAN, 1, 1) = X'02'"
      )
      #expect(Int64(blobs.count) == references)
    }
  }

  @Test(arguments: checks)
  func `does not pass its own check with an object less`(check: String) throws {
    let bench = try MigrationFixture.tasks()
    let opened = try bench.open(
      MigrationFixture.toV2.merging(["backup": .text("copy"), "check": .text(check)]) { $1 }
    )
    try opened.workload.run(opened.session, opened.recorder)
    opened.session.closeAll()
    try Connection(path: opened.trial.store.path).execute("DELETE FROM ZTASK WHERE Z_PK = 40")
    let backup = StoreBackup(of: opened.trial.store, method: .copy, in: opened.trial.folder)
    let appCheck = AppCheck(session: opened.session, reference: backup.backup)
    #expect(throws: Refusal.self) { try appCheck.run() }
  }

  @Test func `replaces no store that somebody has open`() throws {
    let bench = try MigrationFixture.tasks()
    let opened = try bench.open(
      Self.ways[0].merging(MigrationFixture.toV2) { $1 }.merging(["swap": .boolean(true)]) { $1 }
    )
    let other = try Connection(path: opened.trial.store.path)
    try other.execute("BEGIN")
    _ = try other.integer("SELECT count(*) FROM ZTASK")
    let writer = try Connection(path: opened.trial.store.path)
    try writer.execute("UPDATE ZTASK SET ZTITLE = 'later' WHERE Z_PK = 1")
    #expect(throws: (any Error).self) { try opened.workload.run(opened.session, opened.recorder) }
    #expect(try writer.integer("SELECT count(*) FROM ZTASK") == 40)
    #expect(try writer.text("PRAGMA integrity_check") == "ok")
  }

  @Test func `refuses in the plan what cannot be`() {
    func impossibility(_ values: [String: ParameterValue]) -> String? {
      let defaults = Dictionary(MigrationWorkload.axes.map { ($0.name, $0.defaultValue) }) { $1 }
      return MigrationWorkload.impossibility(of: ParameterValues(defaults.merging(values) { $1 }))
    }
    #expect(
      impossibility(["check": .text("full")])
        == "a migration in its own file can only be checked against a backup: set 'backup'"
    )
    #expect(
      impossibility(["duplicates": .text("upserted")])?.hasPrefix("only objects that are inserted")
        == true
    )
    #expect(
      impossibility(["strategy": .text("gradual"), "engine": .text("bareSQL")])
        == "only 'sideBySide' copies by plain SQL, which no app ships: use the engine 'objectGraph'"
    )
    #expect(
      impossibility([
        "strategy": .text("sideBySide"), "engine": .text("bareSQL"), "onNil": .text("skip"),
      ])
        == "plain SQL copies rows as they are: use the engine 'objectGraph' for a map, for 'onNil' "
        + "and for duplicates that are merged"
    )
  }
}
