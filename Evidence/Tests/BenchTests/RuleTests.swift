import Foundation
import Testing

@testable import bench

@Suite struct RuleTests {
  // The expected probability comes from scipy.stats.ttest_ind(equal_var=False).
  @Test func `is Welch's test`() throws {
    let base: [Double] = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6]
    let head: [Double] = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1]
    let probability = try #require(WelchTest.probability(base: base[...], head: head[...]))
    #expect(abs(probability - 0.050387716566131405) < 1e-9)
    #expect(WelchTest.probability(base: [1, 1], head: [1, 1]) == nil)
  }

  @Test func `counts the orderings of Mann and Whitney`() {
    // With three fully separated values per side, 2 of 20 orderings are as extreme.
    #expect(MannWhitneyTest.probability(base: [1, 2, 3], head: [4, 5, 6]) == 0.1)
    #expect(MannWhitneyTest.probability(base: [1, 2, 3, 4], head: [5, 6, 7, 8]) == 2.0 / 70)
    #expect(MannWhitneyTest.claim(base: [1, 2, 3, 4], head: [5, 6, 7, 8]) == .slower)
    #expect(MannWhitneyTest.claim(base: [5, 6, 7, 8], head: [1, 2, 3, 4]) == .faster)
    #expect(MannWhitneyTest.probability(base: [1, 4], head: [2, 3]) == 1)
    // The expected probability comes from scipy.stats.mannwhitneyu(method='exact').
    let probability = MannWhitneyTest.probability(
      base: [3.1, 5.9, 2.6, 5.3, 5.8, 9.7],
      head: [9.3, 2.3, 8.4, 6.2, 6.4, 3.3, 8.3]
    )
    #expect(abs(probability - 0.4452214452214452) < 1e-12)
  }

  @Test func `takes ties into the normal approximation`() {
    #expect(MannWhitneyTest.probability(base: [2, 2, 2], head: [2, 2, 2]) == 1)
    let probability = MannWhitneyTest.probability(
      base: [1, 1, 2, 2, 3],
      head: [3, 4, 4, 5, 5]
    )
    // The expected probability comes from scipy.stats.mannwhitneyu(method='asymptotic').
    #expect(abs(probability - 0.014706853890834981) < 1e-12)
  }

  @Test func `asks three percentiles for 5 %`() {
    let base = (1...100).map { 1000 + Double($0) / 100 }
    #expect(PercentileThresholds.claimAtEnd(base: base, head: base.map { $0 * 1.05 }) == .none)
    #expect(PercentileThresholds.claimAtEnd(base: base, head: base.map { $0 * 1.06 }) == .slower)
    #expect(PercentileThresholds.claimAtEnd(base: base, head: base.map { $0 * 0.9 }) == .faster)
    // A change at one of the three percentiles is enough to claim a slowdown.
    let head = base.enumerated().map { $0.offset < 30 ? $0.element * 1.1 : $0.element * 0.99 }
    #expect(PercentileThresholds.claimAtEnd(base: base, head: head) == .slower)
  }

  @Test func `asks tango's z of pairs, and half a per cent`() {
    let base: [Double] = [100, 101, 99, 100, 102, 98]
    let jitter: [Double] = [0.1, -0.1, 0.2, -0.2, 0.1, -0.1]
    let shifted = { (share: Double) in zip(base, jitter).map { $0 * share + $1 } }
    #expect(TangoRule.claimAtEnd(base: base, head: shifted(1.02)) == .slower)
    #expect(TangoRule.claimAtEnd(base: base, head: shifted(0.98)) == .faster)
    #expect(TangoRule.claimAtEnd(base: base, head: shifted(1.004)) == .none)
  }

  @Test func `asks after every value where it is told to`() {
    let base: [Double] = [1, 2, 3, 4, 5, 6, 7, 8]
    let head: [Double] = [11, 12, 13, 14, 15, -60, -60, -60]
    #expect(WelchTest.firstClaim(base: base, head: head) == .slower)
    #expect(WelchTest.claimAtEnd(base: base, head: head) != .slower)
  }

  @Test func `claims a change of its own only at 4,000`() {
    let base = (0..<20).map { 100 + Double($0 % 3) }
    #expect(SymmetryRule.claimAtEnd(base: base, head: base.map { $0 * 1.02 }) == .slower)
    #expect(
      SymmetryRule.claimAtEnd(base: Array(base.prefix(12)), head: base.prefix(12).map { $0 * 2 })
        == .none
    )
  }
}
