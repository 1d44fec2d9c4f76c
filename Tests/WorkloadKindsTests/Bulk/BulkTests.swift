import DataModel
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

@Suite struct `Changing many objects` {
  private static func bench() throws -> KindBench<BulkWorkload> {
    try KindBench(
      model: Model(entities: [
        Entity(
          name: "Task",
          attributes: [
            Attribute(name: "title", type: .string), Attribute(name: "isDone", type: .boolean),
            Attribute(name: "place", type: .integer32),
          ]
        )
      ])
    )
  }

  private static func values(
    _ operation: BulkParameters.Operation,
    _ more: [String: ParameterValue] = [:]
  ) -> [String: ParameterValue] {
    [
      "operation": .text(operation.rawValue), "stored": .integer(60), "held": .integer(20),
      "objectsPerSave": .integer(7),
    ].merging(more) { $1 }
  }

  @Test(arguments: BulkParameters.Operation.allCases)
  func `ends with the same objects by every way`(operation: BulkParameters.Operation) throws {
    let bench = try Self.bench()
    var digests: Set<String> = []
    for strategy in ["batch", "objects"] {
      for engine in ChangeEngine.built {
        for search in ["condition", "keys"] {
          let verification = try bench.verify(
            Self.values(
              operation,
              [
                "strategy": .text(strategy), "engine": .text(engine.rawValue),
                "batchSearch": .text(search),
              ]
            )
          )
          digests.insert(verification.digest)
          #expect(verification.losses == [])
        }
      }
    }
    #expect(digests.count == 1)
  }

  @Test(arguments: BulkParameters.Operation.allCases, ["batch", "objects"])
  func `records one transaction a request or save`(
    operation: BulkParameters.Operation,
    strategy: String
  ) throws {
    let bench = try Self.bench()
    let opened = try bench.open(
      Self.values(operation, ["strategy": .text(strategy), "history": .boolean(true)])
    )
    let query = "SELECT count(*) FROM ATRANSACTION"
    let before = try #require(try opened.session.store.connection.integer(query))
    _ = try opened.finish()
    let added = try #require(try bench.copied(opened.trial).store.plainConnection().integer(query))
    #expect(strategy == "batch" ? added - before == 1 : added - before > 1)
  }

  @Test(arguments: BulkParameters.Operation.allCases)
  func `shows old values until a batch is merged`(operation: BulkParameters.Operation) throws {
    let bench = try Self.bench()
    func losses(_ merge: BulkParameters.Merge) throws -> [String] {
      try bench.verify(
        Self.values(operation, ["merge": .text(merge.rawValue), "history": .boolean(true)])
      ).losses
    }
    let stale = try #require(try losses(.none).first)
    #expect(stale.hasSuffix(" objects of the screen have old values"))
    for merge in [BulkParameters.Merge.objectIDs, .history, .reset] {
      #expect(try losses(merge) == [])
    }
  }

  @Test func `fires a fault for each shown object that a merge brings`() throws {
    let bench = try Self.bench()
    let figures = try ["objectIDs", "reset"].map { merge in
      let opened = try bench.open(Self.values(.update, ["merge": .text(merge)]))
      let selected = opened.session.stale.count
      _ = try opened.finish()
      return (selected, opened.figures)
    }
    // Before the work, the screen has no values yet, so all of its 20 objects count as stale.
    #expect(figures[0].0 == 20)
    #expect(figures[0].1["bulk.stale"] == 0)
    let fired = try #require(figures[0].1["objects.faultsFired"])
    #expect((1..<20).contains(fired))
    #expect(figures[1].1["objects.faultsFired"] == 0)
  }

  @Test(arguments: BulkParameters.Operation.allCases)
  func `catches every mutation that can occur`(operation: BulkParameters.Operation) throws {
    let bench = try Self.bench()
    let tally = try bench.mutations(after: Self.values(operation, ["history": .boolean(true)]))
    #expect(tally.missed == [])
    #expect(tally.occurred > 6)
  }

  @Test(
    arguments: zip(
      [
        ["engine": .text("grdb"), "history": .boolean(true)], ["merge": .text("history")],
      ] as [[String: ParameterValue]],
      [
        "plain SQL and GRDB write no history: leave out 'history'",
        "a store without history has no changes to merge: set 'history' to true",
      ]
    )
  )
  func `says what cannot be done`(values: [String: ParameterValue], reason: String) throws {
    let parameters = try Self.bench().parameters(values)
    #expect(BulkWorkload.impossibility(of: parameters) == reason)
  }
}
