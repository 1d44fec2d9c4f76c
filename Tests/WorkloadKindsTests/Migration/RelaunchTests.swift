import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

/// Tests a migration that an earlier launch began, from states that the earlier launch may have
/// left.
@Suite struct `A migration that is launched again` {
  private typealias Opened = KindBench<MigrationWorkload>.Opened

  private static let copy = MigrationFixture.toV2.merging([
    "strategy": .text("sideBySide"), "check": .text("counts"), "swap": .boolean(true),
  ]) { $1 }

  /// Opens the same trial again, as the app's next launch would.
  private func relaunch(_ opened: Opened) throws -> Opened {
    opened.close()
    let recorder = Recorder(now: { 0 })
    _ = recorder.begin()
    return Opened(
      workload: opened.workload,
      trial: opened.trial,
      session: try opened.workload.prepare(opened.trial),
      recorder: recorder
    )
  }

  @Test(
    arguments: [
      ["strategy": .text("lightweight")], ["strategy": .text("additive")],
      ["strategy": .text("sideBySide"), "check": .text("counts")],
      ["strategy": .text("exportImport"), "swap": .boolean(true)],
      ["strategy": .text("gradual")],
      ["strategy": .text("gradual"), "duplicates": .text("upserted")],
      ["strategy": .text("lightweight"), "duplicates": .text("merged"), "backup": .text("copy")],
    ] as [[String: ParameterValue]]
  )
  func `adds nothing to a complete one`(values: [String: ParameterValue]) throws {
    let bench = try MigrationFixture.tasks()
    let isAdditive = values["strategy"] == .text("additive")
    let to = isAdditive ? "synced" : values["duplicates"] == nil ? "v2" : "v3"
    let opened = try bench.open(
      values.merging(["to": .text(MigrationFixture.models + "/tasks/\(to).yaml")]) { $1 }
    )
    let first = try opened.finish()
    let again = try relaunch(opened)
    #expect(try again.finish().digest == first.digest)
    #expect(again.figures["objects.inserted", default: 0] == 0)
  }

  @Test func `does not transform a value twice`() throws {
    let bench = try MigrationFixture.tasks()
    let stage: [String: ParameterValue] = MigrationFixture.toV2.merging([
      "strategy": .text("customStage"), "entity": .text("Task"),
      "attribute": .text("sortOrder"), "transformation": .text("oneBased"),
    ]) { $1 }
    for hook in ["didMigrate", "willMigrate"] {
      let opened = try bench.open(stage.merging(["hook": .text(hook)]) { $1 })
      let store = try opened.session.opened(opened.recorder)
      let entry = StageProgress.through(7).entry
      try store.connection.execute("UPDATE ZTASK SET ZSORTORDER = ZSORTORDER + 1 WHERE Z_PK <= 7")
      if hook == "didMigrate" {
        try opened.session.route?.run(on: store, setting: entry)
      } else {
        try store.connection.transaction { try StoreMetadata.set(entry, on: store.connection) }
      }
      let again = try relaunch(opened)
      #expect(again.session.isAtSource == (hook == "willMigrate"))
      _ = try again.finish()
      #expect(try StageProgress(again.session.opened(again.recorder)) == nil)
    }
  }

  @Test func `removes a copy that no marker speaks of`() throws {
    let bench = try MigrationFixture.tasks()
    let opened = try bench.open(Self.copy)
    let unfinished = opened.trial.newStore
    try FileManager.default.createDirectory(
      atPath: unfinished.folder,
      withIntermediateDirectories: true
    )
    try Data("half a store".utf8).write(to: URL(fileURLWithPath: unfinished.path))
    _ = try relaunch(opened).finish()
  }

  @Test func `ends a swap that was begun, blobs included`() throws {
    let bench = try LibraryFixture.bench()
    let path = try LibraryFixture.write(LibraryFixture.nextModel(isUnique: false), in: bench)
    for stop in 0...3 {
      let opened = try bench.open(
        Self.copy.merging(["to": path, "swap": .boolean(false)]) { $1 }
      )
      try opened.workload.run(opened.session, opened.recorder)
      opened.close()
      let (old, new) = (opened.trial.store, opened.trial.newStore)
      let files = FileManager.default
      let previous = old.supportFolder + ".previous"
      if stop > 0 { try files.moveItem(atPath: old.supportFolder, toPath: previous) }
      if stop > 1 { try files.moveItem(atPath: new.supportFolder, toPath: old.supportFolder) }
      if stop > 2 { try files.linkItem(atPath: old.path, toPath: old.path + ".previous") }
      let swapping = try bench.workload(Self.copy.merging(["to": path]) { $1 })
      let session = try swapping.prepare(opened.trial)
      #expect(session.isComplete && !new.exists)
      _ = try swapping.verify(session, opened.trial)
      let names = try files.contentsOfDirectory(atPath: old.folder)
      #expect(names.filter { $0.contains("previous") } == [])
    }
  }

  @Test func `keeps the backup of the store as it was before the first launch`() throws {
    let bench = try MigrationFixture.tasks()
    let opened = try bench.open(
      MigrationFixture.toV2.merging(["backup": .text("copy"), "rollback": .boolean(true)]) { $1 }
    )
    let backup = StoreBackup(of: opened.trial.store, method: .copy, in: opened.trial.folder)
    try backup.make(opened.session.opened(opened.recorder).connection)
    try opened.session.route?.run(on: opened.session.opened(opened.recorder))
    _ = try relaunch(opened).finish()
  }
}

extension KindBench<MigrationWorkload>.Opened {
  /// Closes every connection, including those that the recorder observes.
  fileprivate func close() {
    session.closeAll()
    _ = recorder.measurements()
  }
}
