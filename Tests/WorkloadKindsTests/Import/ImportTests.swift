import DataModel
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

@Suite struct `Importing a feed` {
  private static func bench() throws -> KindBench<ImportWorkload> {
    try KindBench(
      model: Model(entities: [
        Entity(
          name: "Article",
          attributes: [
            Attribute(name: "title", type: .string), Attribute(name: "read", type: .boolean),
            Attribute(name: "number", type: .integer32), Attribute(name: "date", type: .date),
          ]
        )
      ])
    )
  }

  private static func values(
    _ strategy: ImportParameters.Strategy,
    _ more: [String: ParameterValue] = [:]
  ) -> [String: ParameterValue] {
    [
      "strategy": .text(strategy.rawValue), "records": .integer(90), "present": .real(0.5),
      "chunk": .integer(20),
    ].merging(more) { $1 }
  }

  @Test(arguments: [0, 0.1, 0.9], [0, 4])
  func `ends with the same objects by every way that updates`(
    present: Double,
    links: Int
  ) throws {
    let bench = try Self.bench()
    var digests: Set<String> = []
    for strategy in [ImportParameters.Strategy.findOrCreate, .fetchChunk, .upsert] {
      for engine in ChangeEngine.built {
        let verification = try bench.verify(
          Self.values(
            strategy,
            [
              "engine": .text(engine.rawValue), "present": .real(present),
              "links": .integer(links),
            ]
          )
        )
        digests.insert(verification.digest)
        #expect(verification.losses == [])
      }
    }
    #expect(digests.count == 1)
  }

  @Test(arguments: ImportParameters.BatchKeys.allCases)
  func `leaves objects as they are in a batch insert with a constraint`(
    keys: ImportParameters.BatchKeys
  ) throws {
    let found = try Self.bench().verify(
      Self.values(.batchInsert, ["batchKeys": .text(keys.rawValue), "links": .integer(3)])
    )
    #expect(found.losses == ["45 objects have older values than the feed"])
  }

  @Test(arguments: ["none", "plain"], [ImportParameters.Strategy.objectByObject, .batchInsert])
  func `doubles objects where nothing looks for them`(
    index: String,
    strategy: ImportParameters.Strategy
  ) throws {
    let found = try Self.bench().verify(Self.values(strategy, ["index": .text(index)]))
    #expect(found.losses == ["45 records have two objects"])
  }

  @Test(arguments: ChangeEngine.built)
  func `counts the favorites that a record without them overwrites`(engine: ChangeEngine) throws {
    let bench = try Self.bench()
    let losses = try [ImportParameters.Strategy.findOrCreate, .fetchChunk, .upsert].map {
      try bench.verify(
        Self.values($0, ["engine": .text(engine.rawValue), "columns": .text("everything")])
      ).losses
    }
    let words = try #require(losses[0].first)
    let count = try #require(words.split(separator: " ").first.flatMap { Int($0) })
    #expect(words == "\(count) favorites of the user overwritten")
    #expect((5..<40).contains(count))
    #expect(Set(losses) == [[words]])
  }

  @Test(arguments: ChangeEngine.built)
  func `fails as a whole chunk where a constraint finds an identifier twice`(
    engine: ChangeEngine
  ) throws {
    let bench = try Self.bench()
    let opened = try bench.open(
      Self.values(.objectByObject, ["engine": .text(engine.rawValue), "present": .real(0.03)])
    )
    let expected = try #require(opened.workload.traits.expectedFailure)
    do {
      try opened.workload.run(opened.session, opened.recorder)
      Issue.record("the import must fail")
    } catch {
      #expect("\(error)".contains(expected))
      let found = try opened.workload.verify(opened.session, opened.trial)
      #expect(found.losses == ["70 records not imported"])
    }
  }

  @Test func `catches every mutation that can occur`() throws {
    let bench = try Self.bench()
    let tally = try bench.mutations(after: Self.values(.upsert, ["links": .integer(3)]))
    #expect(tally.missed == [])
    #expect(tally.occurred > 8)
  }

  @Test func `runs one fetch for each record, or one for each chunk`() throws {
    let bench = try Self.bench()
    func statements(_ strategy: ImportParameters.Strategy) throws -> Int64 {
      let opened = try bench.open(Self.values(strategy))
      let before = opened.session.store.connection.statementsRun
      try opened.workload.run(opened.session, opened.recorder)
      return opened.session.store.connection.statementsRun - before
    }
    #expect(try statements(.findOrCreate) - statements(.fetchChunk) == 85)
  }

  @Test(
    arguments: zip(
      [
        ["strategy": .text("upsert"), "index": .text("plain")],
        ["strategy": .text("batchInsert"), "engine": .text("grdb")],
        ["strategy": .text("batchInsert"), "index": .text("none"), "links": .integer(2)],
      ] as [[String: ParameterValue]],
      [
        "ON CONFLICT needs a unique index: use 'index: unique'",
        "a batch insert is a request of the frameworks: use 'objectByObject' with 'grdb'",
        "if two objects come from the same record, it is ambiguous which to link: use 'index: "
          + "unique'",
      ]
    )
  )
  func `says what cannot be done`(values: [String: ParameterValue], reason: String) throws {
    let parameters = try Self.bench().parameters(values)
    #expect(ImportWorkload.impossibility(of: parameters) == reason)
  }
}
