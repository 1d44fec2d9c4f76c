import Basics
import Compare
import Foundation
import Runner
import Testing

struct ChangePointTestTests {
  private let test = ChangePointTest(series: 20)

  /// Returns independent random values with mean 1.
  private func values(_ count: Int, seed: UInt64, spread: Double = 0.03) -> [Double] {
    var random = SplitMix64(state: seed)
    return (0..<count).map { _ in
      // The sum of twelve uniform random numbers is close enough to a normal distribution.
      let sum = (0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
      return 1 + (sum - 6) * spread
    }
  }

  private func change(_ verdict: ChangePointTest.Verdict) -> Int? {
    if case .change(let place, _, _) = verdict { place } else { nil }
  }

  @Test func `finds a step of a tenth near its commit, and once found it stays`() throws {
    for seed in 1...5 {
      var values = values(160, seed: UInt64(seed))
      for index in 80..<160 { values[index] *= 1.1 }
      let whole = test.verdict(of: values, named: "s")
      let place = try #require(change(whole))
      #expect(abs(place - 80) <= 3)
      guard case .change(_, let ratio, let alarm) = whole else { continue }
      #expect(abs(ratio - 1.1) < 0.03)
      #expect(alarm > 80)
      for end in (alarm + 1)...160 {
        #expect(test.verdict(of: Array(values[..<end]), named: "s") == whole)
      }
    }
  }

  @Test func `finds a fall as well as a rise, and the second change after the first`() {
    var values = values(240, seed: 9)
    for index in 80..<160 { values[index] *= 1.2 }
    let places = test.verdicts(of: values, named: "s").compactMap(change)
    #expect(places.count == 2)
    #expect(zip(places, [80, 160]).allSatisfy { abs($0 - $1) <= 3 })
  }

  @Test func `no alarm in a hundred series without a change, with outliers and equal values`() {
    for seed in 1...100 {
      var values = values(150, seed: UInt64(seed))
      if seed % 3 == 0 { values = values.map { ($0 * 50).rounded() / 50 } }
      if seed % 3 == 1 { for index in stride(from: 7, to: 150, by: 20) { values[index] *= 2 } }
      #expect(change(test.verdict(of: values, named: "\(seed)")) == nil)
    }
    #expect(test.verdict(of: [Double](repeating: 1, count: 200), named: "") == .noChange)
    #expect(test.verdict(of: [], named: "") == .noChange)
  }

  @Test func `cannot tell where neighbors are alike`() {
    var seen = false
    for seed in 1...20 {
      var level = 0.0
      let values = values(200, seed: UInt64(seed)).map { value in
        level = 0.9 * level + (value - 1)
        return 1 + level
      }
      let verdict = test.verdict(of: values, named: "\(seed)")
      #expect(change(verdict) == nil)
      if case .autocorrelated(let correlation) = verdict {
        seen = true
        #expect(correlation >= ChangePointTest.mostCorrelation)
      }
    }
    #expect(seen)
  }

  @Test func `more series need stronger evidence`() {
    var values = values(200, seed: 3)
    for index in 100..<200 { values[index] *= 1.06 }
    func alarm(_ series: Int) -> Int {
      guard
        case .change(_, _, let alarm) = ChangePointTest(series: series)
          .verdict(of: values, named: "s")
      else { return .max }
      return alarm
    }
    #expect(alarm(20) <= alarm(2_000))
    #expect(alarm(20) < alarm(1_000_000_000))
    #expect(alarm(1) == alarm(20))
  }
}
