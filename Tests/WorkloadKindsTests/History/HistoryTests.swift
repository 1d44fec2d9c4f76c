import DataModel
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

@Suite struct `Persistent history` {
  private static func bench() throws -> KindBench<HistoryWorkload> {
    try KindBench(
      model: Model(entities: [
        Entity(
          name: "Task",
          attributes: [
            Attribute(name: "title", type: .string), Attribute(name: "place", type: .integer32),
          ]
        )
      ])
    )
  }

  private static func values(_ more: [String: ParameterValue]) -> [String: ParameterValue] {
    [
      "objects": .integer(50), "transactions": .integer(6), "older": .integer(9),
      "changes": .integer(2), "deleted": .integer(4),
    ].merging(more) { $1 }
  }

  @Test(arguments: HistoryParameters.Reader.allCases, [0, 4])
  func `brings each reader up to date`(reader: HistoryParameters.Reader, deleted: Int) throws {
    let found = try Self.bench().verify(
      Self.values(["reader": .text(reader.rawValue), "deleted": .integer(deleted)])
    )
    #expect(found.losses == [])
  }

  @Test(arguments: HistoryReader.Statements.allCases)
  func `lets a reader with a token read what was changed alone`(
    statements: HistoryReader.Statements
  ) throws {
    let bench = try Self.bench()
    func figures(_ reader: String) throws -> [String: Double] {
      let opened = try bench.open(
        Self.values(["reader": .text(reader), "historyFetch": .text(statements.rawValue)])
      )
      _ = try opened.finish()
      return opened.figures
    }
    let history = try figures("history")
    // Six transactions have two updates each, and one has four deletions.
    #expect(history["history.changes"] == 16)
    #expect(history["objects.materialised"] == 12)
    #expect(try figures("expired")["objects.materialised"] == 46)
    #expect(try figures("everything")["objects.materialised"] == 46)
  }

  @Test func `names deleted objects by their keys alone where nothing is preserved`() throws {
    let found = try Self.bench().verify(Self.values(["tombstones": .boolean(false)]))
    #expect(found.losses == ["4 deleted objects without an identifier"])
  }

  @Test(arguments: [false, true], HistoryReader.Statements.allCases)
  func `is purged up to the token of the slowest reader`(
    vacuum: Bool,
    statements: HistoryReader.Statements
  ) throws {
    let bench = try Self.bench()
    let opened = try bench.open(
      Self.values([
        "operation": .text("purge"), "vacuum": .boolean(vacuum),
        "historyPurge": .text(statements.rawValue),
      ])
    )
    _ = try opened.finish()
    let left = try opened.trial.store.plainConnection()
      .integer("SELECT count(*) FROM ATRANSACTION")
    // The remaining transactions are six of updates and one of deletions.
    #expect(left == 7)
  }

  @Test(arguments: [(0, 0), (4, 3), (4, 20), (12, 0), (20, 5)])
  func `grows by each save, less what is purged`(every: Int, behind: Int) throws {
    let bench = try Self.bench()
    let opened = try bench.open(
      Self.values([
        "operation": .text("grow"), "saves": .integer(12), "purgeEvery": .integer(every),
        "behind": .integer(behind),
      ])
    )
    _ = try opened.finish()
    let left = try opened.trial.store.plainConnection()
      .integer("SELECT count(*) FROM ATRANSACTION")
    if every == 4, behind == 3 { #expect(left == 3) }
    if every == 12 { #expect(left == 0) }
  }

  @Test func `was not read where a reader knows an old value`() throws {
    let bench = try Self.bench()
    let opened = try bench.open(Self.values(["deleted": .integer(0)]))
    try opened.workload.run(opened.session, opened.recorder)
    try Connection(path: opened.trial.store.path).execute("UPDATE ZTASK SET ZPLACE = ZPLACE + 1")
    #expect(throws: VerificationFailure.self) {
      try opened.workload.verify(opened.session, opened.trial)
    }
  }

  @Test(arguments: ["purge", "grow"])
  func `catches every mutation that can occur`(operation: String) throws {
    let bench = try Self.bench()
    let tally = try bench.mutations(
      after:
        Self.values([
          "operation": .text(operation), "saves": .integer(6), "purgeEvery": .integer(4),
          "behind": .integer(2),
        ])
    )
    #expect(tally.missed == [])
    #expect(tally.occurred > 5)
  }

  @Test func `says what cannot be done`() throws {
    let bench = try Self.bench()
    for (values, reason) in [
      (
        ["deleted": .integer(50), "objects": .integer(50)],
        "50 objects are deleted, but 'objects' is only 50: reduce 'deleted'"
      ),
      (
        ["transactions": .integer(1_000_000), "changes": .integer(1_000)],
        "the history has more than 20,000,000 changes: reduce 'transactions' or 'changes'"
      ),
    ] as [([String: ParameterValue], String)] {
      #expect(try HistoryWorkload.impossibility(of: bench.parameters(values)) == reason)
    }
  }
}
