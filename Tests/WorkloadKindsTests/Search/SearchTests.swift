import DataModel
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

@Suite struct `Searching texts` {
  private static func bench() throws -> KindBench<SearchWorkload> {
    try KindBench(
      model: Model(entities: [
        Entity(
          name: "Note",
          attributes: [
            Attribute(name: "title", type: .string), Attribute(name: "number", type: .integer32),
          ]
        )
      ])
    )
  }

  private static func values(
    _ strategy: SearchParameters.Strategy,
    _ more: [String: ParameterValue] = [:]
  ) -> [String: ParameterValue] {
    [
      "strategy": .text(strategy.rawValue), "objects": .integer(120), "words": .integer(6),
      "searches": .integer(30), "saves": .integer(5), "objectsPerSave": .integer(3),
    ].merging(more) { $1 }
  }

  @Test(arguments: SearchParameters.Script.allCases, SearchParameters.Match.allCases)
  func `finds the same texts by every strategy`(
    script: SearchParameters.Script,
    match: SearchParameters.Match
  ) throws {
    let bench = try Self.bench()
    var digests: [Bool: Set<String>] = [:]
    for strategy in SearchParameters.Strategy.allCases {
      let found = try bench.verify(
        Self.values(
          strategy,
          ["script": .text(script.rawValue), "match": .text(match.rawValue)]
        )
      )
      digests[strategy.usesFTS, default: []].insert(found.digest)
    }
    // FTS5 removes diacritics only from Latin letters, so it finds fewer texts in other scripts.
    #expect(digests[false]?.count == 1)
    #expect(digests[true]?.count == 1)
    if match == .anyWord {
      #expect((digests[true] == digests[false]) == (script == .latin))
    }
  }

  @Test(arguments: SearchParameters.Comparison.allCases)
  func `compares letters alike in SQL and in memory`(
    comparison: SearchParameters.Comparison
  ) throws {
    let bench = try Self.bench()
    let digests = try [SearchParameters.Strategy.scan, .inMemory].map { strategy in
      try bench.verify(Self.values(strategy, ["comparison": .text(comparison.rawValue)])).digest
    }
    #expect(Set(digests).count == 1)
  }

  @Test func `finds fewer texts the less it ignores`() throws {
    let bench = try Self.bench()
    let counts = try ["exact", "c", "cd"].map { comparison in
      let opened = try bench.open(Self.values(.scan, ["comparison": .text(comparison)]))
      try opened.workload.run(opened.session, opened.recorder)
      return opened.session.found[0].reduce(0) { $0 + $1.count }
    }
    #expect(counts[0] < counts[1])
    #expect(counts[1] < counts[2])
  }

  @Test(arguments: SearchParameters.Strategy.allCases)
  func `keeps changed texts searchable, and sees where they are not`(
    strategy: SearchParameters.Strategy
  ) throws {
    let bench = try Self.bench()
    let values = Self.values(strategy, ["operation": .text("save")])
    let opened = try bench.open(values)
    try opened.workload.run(opened.session, opened.recorder)
    _ = try opened.workload.verify(opened.session, opened.trial)
    guard let index = opened.session.index else { return }
    try index.connection.execute("DELETE FROM search WHERE rowid <= 60")
    #expect(throws: VerificationFailure.self) {
      try opened.workload.verify(opened.session, opened.trial)
    }
  }

  @Test func `reads an index instead of every text`() throws {
    let bench = try Self.bench()
    func steps(_ strategy: SearchParameters.Strategy, _ match: String) throws -> Int64 {
      let opened = try bench.open(Self.values(strategy, ["match": .text(match)]))
      let before = opened.session.store.connection.counters
      try opened.workload.run(opened.session, opened.recorder)
      return (opened.session.store.connection.counters - before).fullScanSteps
    }
    #expect(try steps(.scan, "anyWord") > 0)
    #expect(try steps(.normalized, "firstWord") == 0)
    #expect(try steps(.words, "anyWord") == 0)
  }

  // With 'ftsBeside', the index is a file of the app, which other tests damage.
  @Test func `catches every mutation that can occur`() throws {
    let bench = try Self.bench()
    let tally = try bench.mutations(after: Self.values(.words, ["operation": .text("save")]))
    #expect(tally.missed == [])
    #expect(tally.occurred > 8)
  }
}
