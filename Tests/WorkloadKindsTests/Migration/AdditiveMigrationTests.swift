import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

@Suite struct `An additive migration` {
  private static let values: [String: ParameterValue] = [
    "strategy": .text("additive"), "to": .text(MigrationFixture.models + "/tasks/synced.yaml"),
    "entity": .text("Task"), "attribute": .text("searchTitle"), "beside": .text("title"),
    "batchSize": .integer(16),
  ]

  @Test func `fills the new attribute while both are read`() throws {
    let bench = try MigrationFixture.tasks()
    let opened = try bench.open(Self.values)
    _ = try opened.finish()
    let figures = opened.figures
    #expect(figures["phase.backfill"] != nil)
    #expect(figures["reads.new"] == 30)
    #expect(figures["reads.old"] == 18)
    let connection = try Connection(path: opened.trial.store.path)
    #expect(
      try connection.integer("SELECT count(*) FROM ZTASK WHERE ZSEARCHTITLE = upper(ZTITLE)") == 40
    )
  }

  @Test func `catches every mutation that can occur`() throws {
    try MigrationFixture.expectMutationsCaught(Self.values)
  }

  @Test func `refuses a model that changes what is there`() throws {
    let bench = try MigrationFixture.tasks()
    let values = Self.values.merging([
      "from": .text(MigrationFixture.models + "/tasks/v2.yaml"),
      "to": .text(MigrationFixture.models + "/tasks/v3.yaml"),
    ]) { $1 }
    let error = #expect(throws: Refusal.self) { try bench.verify(values) }
    #expect(error?.description.contains("'details' becomes 'summary'") == true)
  }

  @Test(arguments: ["main", "background"])
  func `tells how a main loop fares meanwhile`(thread: String) throws {
    let bench = try MigrationFixture.tasks()
    for strategy in ["lightweight", "sideBySide", "gradual"] {
      let opened = try bench.open(
        MigrationFixture.toV2.merging([
          "strategy": .text(strategy), "thread": .text(thread), "backup": .text("copy"),
        ]) { $1 }
      )
      _ = try opened.finish()
      let figures = opened.figures
      #expect((figures["stalls.longest"] ?? 0) > 0)
      #expect(figures["stalls.over1s"] != nil)
      #expect(figures["firstFetch"] != nil)
    }
  }

  @Test func `counts stalls by their length`() {
    var stalls = MainLoop.Stalls()
    for milliseconds in [16, 99, 101, 251, 1001] as [UInt64] {
      stalls.add(milliseconds * 1_000_000)
    }
    #expect(stalls.longest == 1_001_000_000)
    #expect(stalls.over100ms == 3)
    #expect(stalls.over250ms == 2)
    #expect(stalls.over1s == 1)
  }

  @Test func `hands on what went wrong in the background`() {
    struct Failure: Error, Equatable {}
    #expect(throws: Failure()) { try MainLoop(.background).run { throw Failure() } }
  }
}
