import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

struct MigrationWorkloadTests {
  static let strategies: [[String: ParameterValue]] = [
    ["strategy": .text("lightweight"), "shape": .text("inPlace")],
    ["strategy": .text("lightweight"), "shape": .text("rebuild")],
    ["strategy": .text("sideBySide"), "batchSize": .integer(0)],
    ["strategy": .text("sideBySide"), "batchSize": .integer(7)],
    ["strategy": .text("sideBySide"), "batchSize": .integer(1)],
    ["strategy": .text("sideBySide"), "engine": .text("bareSQL")],
    ["strategy": .text("exportImport"), "batchSize": .integer(16)],
    ["strategy": .text("exportImport"), "batchSize": .integer(0)],
    ["strategy": .text("gradual"), "batchSize": .integer(5), "history": .text("on")],
  ]

  /// Parameters that do not affect the migrated content.
  static let circumstances: [[String: ParameterValue]] = [
    ["strategy": .text("staged"), "wrapper": .boolean(true)],
    [
      "strategy": .text("staged"), "shape": .text("rebuild"),
      "via": .list([MigrationFixture.models + "/tasks/v1.yaml"]),
    ],
    ["thread": .text("background"), "backup": .text("vacuumInto"), "check": .text("full")],
    ["strategy": .text("sideBySide"), "thread": .text("main"), "history": .text("on")],
    ["strategy": .text("sideBySide"), "engine": .text("bareSQL"), "swap": .boolean(true)],
    ["strategy": .text("sideBySide"), "onNil": .text("skip"), "check": .text("full")],
    ["strategy": .text("exportImport"), "onNil": .text("default"), "swap": .boolean(true)],
    ["strategy": .text("gradual"), "check": .text("counts"), "swap": .boolean(true)],
  ]

  @Test func `reaches one content of v2 by every strategy, whatever is done around it`() throws {
    let bench = try MigrationFixture.tasks()
    let digests = try (Self.strategies + Self.circumstances).map {
      try bench.verify($0.merging(MigrationFixture.toV2) { $1 }).digest
    }
    #expect(Set(digests).count == 1)
    let plain = try StoreInspection(
      store: bench.original,
      layout: StoreLayout(model: MigrationFixture.model("tasks/v1.yaml"), keepsHistory: false)
    ).digest(.content)
    #expect(digests.first != plain)
  }

  private static let merging: [[String: ParameterValue]] = [
    ["batchSize": .integer(0)], [:], ["shape": .text("rebuild")],
    ["strategy": .text("sideBySide")],
    ["strategy": .text("sideBySide"), "batchSize": .integer(0)],
    ["strategy": .text("exportImport")], ["strategy": .text("gradual")],
  ]

  @Test func `reaches one content of v3 by every strategy, whoever merges the duplicates`() throws {
    let bench = try MigrationFixture.tasks()
    var verifications: [Verification] = []
    for strategy in Self.strategies {
      let removed: [String: ParameterValue] = ["duplicates": .text("removed")]
      verifications.append(
        try bench.verify(strategy.merging(MigrationFixture.toV3) { $1 }.merging(removed) { $1 })
      )
    }
    for way in Self.merging {
      let merged: [String: ParameterValue] = [
        "duplicates": .text("merged"), "batchSize": .integer(2),
      ]
      let verification = try bench.verify(
        merged.merging(MigrationFixture.toV3) { $1 }.merging(way) { $1 }
      )
      #expect(verification.notes == ["4 duplicates merged"])
      verifications.append(verification)
    }
    #expect(Set(verifications.map(\.digest)).count == 1)
  }

  @Test(arguments: strategies.filter { $0["strategy"] != .text("gradual") })
  func `fails over duplicates and leaves the store as it was`(
    strategy: [String: ParameterValue]
  ) throws {
    let bench = try MigrationFixture.tasks()
    let failing: [String: ParameterValue] = ["duplicates": .text("failing")]
    let response = try bench.perform(
      strategy.merging(MigrationFixture.toV3) { $1 }.merging(failing) { $1 }
    )
    guard case .failedAsExpected(let words, _) = response.outcome else {
      Issue.record("\(response.outcome)")
      return
    }
    #expect(words.contains("UNIQUE constraint failed: ZTASK.ZID"))
  }

  @Test func `fails a case whose expected failure does not happen`() throws {
    let bench = try MigrationFixture.tasks()
    let response = try bench.perform(
      MigrationFixture.toV2.merging(["duplicates": .text("failing")]) { $1 }
    )
    #expect(
      response.outcome == .failed("it had to fail with 'UNIQUE constraint', but did not")
    )
  }

  @Test(arguments: ["didMigrate", "willMigrate"])
  func `transforms every value at a custom stage`(hook: String) throws {
    let bench = try MigrationFixture.tasks()
    let stage: [String: ParameterValue] = [
      "strategy": .text("customStage"), "hook": .text(hook), "batchSize": .integer(6),
    ]
    for (attribute, transformation) in [
      ("", "automatic"), ("createdAt", "wholeSeconds"), ("estimatedMinutes", "oneBased"),
    ] {
      let chosen: [String: ParameterValue] = [
        "attribute": .text(attribute), "transformation": .text(transformation),
        "entity": .text("Task"),
      ]
      let values = stage.merging(MigrationFixture.toV2) { $1 }.merging(chosen) { $1 }
      let opened = try bench.open(values)
      _ = try opened.finish()
      let connection = try Connection(path: opened.trial.store.path, mode: .readOnly)
      let changed: String
      switch transformation {
      case "wholeSeconds":
        changed = "SELECT count(*) FROM ZTASK WHERE typeof(ZCREATEDAT) = 'integer'"
      case "oneBased": changed = "SELECT count(*) FROM ZTASK WHERE ZESTIMATEDMINUTES = 31"
      default:
        changed = "SELECT count(*) FROM ZTASK WHERE ZTITLE LIKE 'AUFGABE %' AND ZTITLE GLOB 'A*'"
      }
      #expect(try connection.integer(changed) == (transformation == "oneBased" ? 39 : 40))
    }
  }

  @Test(arguments: ["copy", "vacuumInto", "backupAPI"])
  func `puts the backup back after success and after failure`(backup: String) throws {
    let bench = try MigrationFixture.tasks()
    let back: [String: ParameterValue] = ["backup": .text(backup), "rollback": .boolean(true)]
    _ = try bench.verify(MigrationFixture.toV2.merging(back) { $1 })
    let opened = try bench.open(
      MigrationFixture.toV3.merging(back) { $1 }.merging(["duplicates": .text("failing")]) { $1 }
    )
    _ = try opened.finish()
    #expect(opened.figures["phase.rollback"] != nil)
    #expect(opened.figures["phase.backup"] != nil)
  }

  @Test func `counts exactly what a copy in batches does`() throws {
    let bench = try MigrationFixture.tasks()
    let values: [String: ParameterValue] = [
      "strategy": .text("sideBySide"), "batchSize": .integer(10),
    ]
    let opened = try bench.open(values.merging(MigrationFixture.toV2) { $1 })
    try opened.workload.run(opened.session, opened.recorder)
    let figures = opened.figures
    // The 97 objects are 7 attachments, 3 categories, 3 projects, 39 subtasks, 5 tags and 40 tasks.
    #expect(figures["objects.inserted"] == 97)
    // The migration saves objects 10 times, and relationships 1 + 4 + 4 times.
    #expect(figures["objects.saves"] == 19)
  }

  @Test func `refuses at once what cannot be`() {
    func impossibility(_ values: [String: ParameterValue]) -> String? {
      let defaults = Dictionary(MigrationWorkload.axes.map { ($0.name, $0.defaultValue) }) { $1 }
      return MigrationWorkload.impossibility(of: ParameterValues(defaults.merging(values) { $1 }))
    }
    #expect(impossibility([:]) == nil)
    #expect(
      impossibility(["rollback": .boolean(true)])
        == "a rollback needs a backup: set 'backup' to a value other than 'none'"
    )
    #expect(
      impossibility(["engine": .text("bareSQL"), "strategy": .text("customStage")])
        == "only 'sideBySide' copies by plain SQL, which no app ships: use the engine 'objectGraph'"
    )
  }

  @Test func `cases of unequal safety are not compared, but ways to make a backup are`() {
    func goal(_ values: [String: ParameterValue]) -> String {
      let all = MigrationFixture.toV2.merging(values) { $1 }
      return MigrationWorkload(parameters: MigrationParameters(ParameterValues(all))).traits.goal
    }
    let copied = goal(["backup": .text("copy")])
    #expect(copied.hasSuffix(", with a backup, check: none"), "\(copied)")
    #expect(goal(["backup": .text("vacuumInto"), "strategy": .text("sideBySide")]) == copied)
    #expect(goal([:]) != copied)
    #expect(goal(["backup": .text("copy"), "check": .text("full")]) != copied)
  }

  @Test func `drops from a case's ID what changes nothing in it`() {
    func irrelevant(_ values: [String: ParameterValue]) -> [String] {
      let defaults = Dictionary(MigrationWorkload.axes.map { ($0.name, $0.defaultValue) }) { $1 }
      let parameters = MigrationParameters(ParameterValues(defaults.merging(values) { $1 }))
      return Set(parameters.irrelevant.map(\.description)).sorted()
    }
    let stage = ["attribute", "beside", "entity", "hook", "transformation"]
    let merging = ["children", "survivor"]
    let versions = ["appCode", "via", "wrapper"]
    let copying = ["history", "map", "onNil", "swap"]
    #expect(
      irrelevant([:])
        == (stage + merging + versions + copying + ["batchSize", "engine"]).sorted()
    )
    #expect(
      irrelevant(["strategy": .text("sideBySide")])
        == (stage + merging + versions + ["map", "shape"]).sorted()
    )
    #expect(
      irrelevant(["strategy": .text("customStage")])
        == (merging + versions + copying + ["beside"]).sorted()
    )
    #expect(
      irrelevant(["strategy": .text("staged"), "duplicates": .text("merged")])
        == (stage + copying + ["appCode"]).sorted()
    )
  }
}
