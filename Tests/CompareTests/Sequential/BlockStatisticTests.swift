import Foundation
import Testing

@testable import Compare
@testable import Runner

@Suite struct BlockStatisticTests {
  static let pairs = [(100, 110), (200, 220), (100, 900), (300, 330), (50, 54)].map {
    SlicePair(base: $0.0, head: $0.1)
  }

  @Test func `compares what a fifth of the slices stay below`() throws {
    let times = (1...11).reversed().map(Double.init)
    let value = BlockStatistic.lowerFifths.logRatio(
      of: times.map { SlicePair(base: $0 * 100, head: $0 == 11 ? 1e6 : $0 * 110) }
    )
    #expect(abs(try #require(value) - log(1.1)) < 1e-12)
    let slowest = BlockStatistic.lowerFifths.logRatio(
      of: times.map { SlicePair(base: $0, head: $0 <= 3 ? $0 : 1e6) }
    )
    #expect(slowest == 0)
  }

  @Test func `sums what was not held up`() throws {
    // The median sum of a pair is 420. The sum 1000 exceeds 1.5 times the median and is left out;
    // 630 does not.
    let value = try #require(BlockStatistic.ratioOfSums.logRatio(of: Self.pairs))
    #expect(abs(value - log(714.0 / 650.0)) < 1e-12)
  }

  @Test(arguments: BlockStatistic.allCases)
  func `changes its sign alone when the sides are exchanged`(statistic: BlockStatistic) {
    let exchanged = Self.pairs.map { SlicePair(base: $0.head, head: $0.base) }
    let value = statistic.logRatio(of: Self.pairs)
    #expect(value != nil)
    #expect(statistic.logRatio(of: exchanged) == value.map { -$0 })
  }

  @Test(arguments: BlockStatistic.allCases)
  func `has none without a pair that took time on both sides`(statistic: BlockStatistic) {
    #expect(statistic.logRatio(of: []) == nil)
    let pairs = [
      SlicePair(base: 0, head: 5), SlicePair(base: 5, head: .nan),
      SlicePair(base: .infinity, head: 1), SlicePair(base: 3, head: -3),
    ]
    #expect(statistic.logRatio(of: pairs) == nil)
  }
}
