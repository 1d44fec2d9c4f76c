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

  @Test func `a counter that is mostly 0 has no law`() {
    #expect(CounterLaw("c", on: rungs { $0 > 40_000 ? 5 : 0 }) == nil)
  }
}
