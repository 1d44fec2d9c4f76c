import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

/// Tests deletions of roots that their children require, and batch deletes without delete rules.
struct CascadeMandatoryTests {
  private static func values(
    _ strategy: String,
    _ rule: String,
    _ more: [String: ParameterValue]
  ) -> [String: ParameterValue] {
    [
      "strategy": .text(strategy), "rule": .text(rule), "depth": .integer(2),
      "fanOut": .integer(2), "roots": .integer(4), "share": .real(0.5),
    ].merging(more) { $1 }
  }

  @Test(arguments: ["objectByObject", "batchDelete"], ["byLevel", "orphanCleanup"])
  func `a reference that must not be empty keeps its target from being deleted`(
    strategy: String,
    shape: String
  ) throws {
    let bench = try CascadeFixture.bench()
    let opened = try bench.open(
      Self.values(
        strategy,
        "nullify",
        ["mandatory": .boolean(true), "batchShape": .text(shape)]
      )
    )
    #expect(opened.workload.expectedFailure != nil)
    #expect(throws: (any Error).self) {
      try opened.workload.run(opened.session, opened.recorder)
    }
    _ = try bench.verify(
      Self.values(strategy, "nullify", ["mandatory": .boolean(true), "batchShape": .text(shape)])
    )
  }

  @Test(arguments: ["byLevel", "orphanCleanup"])
  func `a batch that empties such references leaves what SQLite's clause leaves`(
    shape: String
  ) throws {
    let bench = try CascadeFixture.bench()
    let more: [String: ParameterValue] = [
      "mandatory": .boolean(true), "batchMandatory": .text("emptied"), "batchShape": .text(shape),
    ]
    let batch = try bench.verify(Self.values("batchDelete", "nullify", more))
    let clause = try bench.verify(Self.values("sqlForeignKey", "nullify", more))
    #expect(batch.digest == clause.digest)
  }

  @Test func `no action leaves references that lead nowhere, by every strategy`() throws {
    let bench = try CascadeFixture.bench()
    let digests = try ["objectByObject", "batchDelete", "sqlForeignKey"].map {
      try bench.verify(Self.values($0, "noAction", ["history": .boolean(true)])).digest
    }
    #expect(Set(digests).count == 1)
  }

  @Test(arguments: ["cascade", "nullify", "deny", "noAction"], [false, true])
  func `a batch that ignores the rules deletes the roots alone`(
    rule: String,
    history: Bool
  ) throws {
    let bench = try CascadeFixture.bench()
    let opened = try bench.open(
      Self.values(
        "batchDelete",
        rule,
        [
          "batchRules": .text("ignored"), "history": .boolean(history),
          "mandatory": .boolean(true),
        ]
      )
    )
    _ = try opened.finish()
    let connection = try opened.trial.store.plainConnection()
    #expect(try connection.integer("SELECT count(*) FROM ZNODE0") == 2)
    #expect(try connection.integer("SELECT count(*) FROM ZNODE1") == 8)
    let dangling = "SELECT count(*) FROM ZNODE1 WHERE ZPARENT NOT IN (SELECT Z_PK FROM ZNODE0)"
    #expect(try connection.integer(dangling) == 4)
  }
}
