import DataModel
import PersistentStore
import Runner
import SQLite
import TestSupport
import Testing

@testable import WorkloadKinds

@Suite struct `Counts of lists` {
  private static func values(_ more: [String: ParameterValue]) -> [String: ParameterValue] {
    [
      "objects": .integer(60), "lists": .integer(5), "saves": .integer(6),
      "objectsPerSave": .integer(7),
    ].merging(more) { $1 }
  }

  @Test func `are the same by every way after every save`() throws {
    let bench = try KindBench<CountWorkload>(model: .plainTasks)
    var digests: Set<String> = []
    for strategy in CountParameters.Strategy.allCases {
      for derivation in CountParameters.Derivation.allCases {
        digests.insert(
          try bench.verify(
            Self.values([
              "strategy": .text(strategy.rawValue), "derivation": .text(derivation.rawValue),
            ])
          ).digest
        )
      }
    }
    #expect(digests.count == 1)
  }

  @Test func `take a statement for each list, one for all, or no object's row`() throws {
    let bench = try KindBench<CountWorkload>(model: .plainTasks)
    func figure(_ strategy: String, _ name: String) throws -> Double {
      let opened = try bench.open(Self.values(["strategy": .text(strategy)]))
      _ = try opened.finish()
      return opened.figures[name] ?? 0
    }
    let statements = "sqlite.statementsRun"
    #expect(try figure("count", statements) - figure("group", statements) == 24)
    #expect(try figure("fetch", "objects.materialised") > 300)
    #expect(try figure("maintained", "objects.updated") > figure("derived", "objects.updated"))
  }

  /// Each strategy takes a third of the mutations; in `make fuzz`, all of them.
  @Test(arguments: CountParameters.Strategy.allCases)
  func `fuzz: catch every mutation that can occur`(strategy: CountParameters.Strategy) throws {
    let bench = try KindBench<CountWorkload>(model: .plainTasks)
    let place = try #require(CountParameters.Strategy.allCases.firstIndex(of: strategy))
    let tally = try bench.mutations(
      after: Self.values(["strategy": .text(strategy.rawValue)]),
      of: FuzzSeeds.part(of: StoreMutation.beyondVersions, every: 3, from: place)
    )
    #expect(tally.missed == [])
    #expect(tally.occurred > (FuzzSeeds.isThorough ? 5 : 1))
  }

  @Test func `are wrong where a badge was wrong after a save`() throws {
    let bench = try KindBench<CountWorkload>(model: .plainTasks)
    let opened = try bench.open(Self.values([:]))
    try opened.workload.run(opened.session, opened.recorder)
    opened.session.shown[2][1, default: 0] += 1
    #expect(
      throws: VerificationFailure([
        "the badges after save 3 are not equal to the numbers of "
          + "objects"
      ])
    ) {
      try opened.workload.verify(opened.session, opened.trial)
    }
  }
}
