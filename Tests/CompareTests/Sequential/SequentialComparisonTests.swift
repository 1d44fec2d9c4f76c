import Foundation
import Testing

@testable import Compare
@testable import Runner

@Suite struct SequentialComparisonTests {
  private func comparison(_ values: [Double], _ policy: LivePolicy = LivePolicy())
    -> SequentialComparison
  {
    var comparison = SequentialComparison(policy: policy)
    for value in values { comparison.add(value) }
    return comparison
  }

  @Test func `says unchanged once both margins are excluded, and what it would have seen`() throws {
    var noise = NormalDraws(seed: 41)
    let comparison = comparison(noise.values(30, deviation: 0.008))
    guard case .unchanged(let bound, let interval) = try #require(comparison.unchanged) else {
      Issue.record("a quiet case must be unchanged")
      return
    }
    #expect(bound > 0 && bound <= 0.02)
    #expect(max(-interval.lower, interval.upper) < 0.02)
  }

  @Test func `says nothing with fewer than the fewest blocks`() {
    let comparison = comparison(Array(repeating: 0.00001, count: 7))
    #expect(!comparison.isUnchanged)
    #expect(comparison.unchanged == nil)
  }

  @Test func `calls a change at the margin unchanged in one of twenty runs at most`() {
    var noise = NormalDraws(seed: 43)
    let runs = 300
    let mistakes = (0..<runs).count { _ in
      comparison(noise.values(40, mean: log(1.02), deviation: 0.01)).isUnchanged
    }
    // The seed is fixed, so the bound is the error rate itself, without a tolerance for chance.
    #expect(mistakes <= 15)
  }

  @Test func `reports a change by the median, and whether it is below the floor`() {
    let slower = comparison(Array(repeating: log(1.05), count: 20))
    guard case .changed(let estimate, _, let isBelowFloor) = slower.changed else { return }
    #expect(abs(estimate - 0.05) < 1e-12)
    #expect(!isBelowFloor)
    #expect(slower.changed.isRegression)
    let slightly = comparison(Array(repeating: log(1.005), count: 20))
    #expect(!slightly.changed.isRegression)
    #expect(!comparison(Array(repeating: log(0.9), count: 20)).changed.isRegression)
  }

  @Test func `leaves out a block that is no number`() {
    #expect(comparison([.nan, 0.01, .infinity]).logRatios == [0.01])
  }

  @Test func `tells how many more blocks a verdict takes`() throws {
    var noise = NormalDraws(seed: 47)
    let comparison = comparison(noise.values(10, mean: 0.001, deviation: 0.03))
    let shortfall = comparison.shortfall(logThreshold: log(4000), secondsPerBlock: 0.5)
    let blocks = try #require(shortfall.blocks)
    let scale = try #require(shortfall.scale)
    let needed = pow(4 * scale / (log(1.02) - abs(comparison.median)), 2)
    #expect(blocks == Int((needed - 10).rounded(.up)))
    #expect(shortfall.seconds == 0.5 * Double(blocks))
    #expect(!shortfall.isOutOfReach(budget: 60, policy: LivePolicy()))
    #expect(shortfall.isOutOfReach(budget: 0.01, policy: LivePolicy()))
  }

  @Test func `does not guess from fewer than two blocks`() {
    let shortfall = comparison([0.1]).shortfall(logThreshold: 8, secondsPerBlock: 1)
    #expect(shortfall == Shortfall(blocks: nil, seconds: nil, scale: nil))
  }

  @Test func `bounds what it asks for when no difference and no equivalence is near`() throws {
    // The median equals the margin, and the noise hides all differences.
    let values = (0..<10).map { log(1.02) + ($0.isMultiple(of: 2) ? 1e6 : -1e6) }
    let shortfall = comparison(values).shortfall(logThreshold: 8, secondsPerBlock: 1)
    #expect(try #require(shortfall.blocks) < 1_000_000_001)
  }
}
