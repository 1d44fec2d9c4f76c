import Foundation
import Testing

@testable import Forecasting

struct CounterLawTests {
  private func rungs(_ counter: (Double) -> Double) -> [Rung] {
    LadderDesign.full().rungs.compactMap { size in
      Rung([
        Observation(objects: ["Task": size], seconds: 1, counters: ["c": counter(Double(size))])
      ])
    }
  }

  @Test(arguments: [
    ("straight line", Term.objects), ("n log n", .sorting),
    ("misses beyond a bend", .misses(bend: 5000)),
    ("pages dirtied by batches", .dirtying(batch: 4000)),
  ])
  func `finds each law by its name and extrapolates it`(name: String, term: Term) throws {
    let truth = { (size: Double) in 40 + 0.1 * size + 0.7 * term(size) }
    let law = try #require(CounterLaw("c", on: rungs(truth)))
    #expect(law.name == name)
    #expect(abs(law.curve(1_024_000) / truth(1_024_000) - 1) < 0.05)
    #expect(law.extrapolationError != nil)
  }

  @Test func `an error of many times a counter is no percentage`() throws {
    let ladder = SyntheticLadder(
      seconds: { 0.01 + 25e-6 * $0 },
      counters: { ["vfs.writeBytes": $0 > 4000 ? 1000 : 100 * $0] },
      design: .quick(seed: 7)
    )
    let counters = try #require(ladder.forecast().grounds.first { $0.hasPrefix("counters, ") })
    #expect(counters.contains(", bytes written off by over 100 % ("), "\(counters)")
  }

  @Test func `a counter that is mostly 0 has no law`() {
    #expect(CounterLaw("c", on: rungs { $0 > 40_000 ? 5 : 0 }) == nil)
  }

  @Test func `one point beyond a bend promises no more pages than are asked for`() throws {
    // The ladder's stores fit in the page cache; the simulated store does not.
    let imitated = Rung([
      Observation(
        objects: ["Task": 1_024_000],
        seconds: 1,
        counters: ["sqlite.cacheMisses": 52_000, "sqlite.cacheHits": 500_000]
      )
    ])
    let cached = LadderDesign.full().rungs.compactMap { size in
      Rung([
        Observation(
          objects: ["Task": size],
          seconds: 1,
          counters: [
            "sqlite.cacheMisses": 22 + 0.033 * Double(size),
            "sqlite.cacheHits": 0.53 * Double(size),
          ]
        )
      ])
    }
    let rungs = cached + [imitated].compactMap(\.self)
    let law = try #require(CounterLaw("sqlite.cacheMisses", on: rungs))
    #expect(law.curve(1_410_000) < 0.2 * 1_410_000)
    #expect(law.curve(100 * 1_024_000) <= 0.6 * 100 * 1_024_000)
  }
}
