import Basics
import Testing

@testable import Runner

struct TrialIntervalTests {
  /// The number of seeded workloads with equal cases whose difference looks significant.
  private func alarms(of count: Int, trials: Int, noise: (inout SplitMix64) -> Double) -> Int {
    var random = SplitMix64(state: 7)
    return (0..<count).count { _ in
      let cases = (0..<6).map { _ in (0..<trials).map { _ in noise(&random) } }
      let pairs = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)].map {
        TrialIntervals.Pair($0.0, $0.1)
      }
      let intervals = TrialIntervals([.init(cases: cases, pairs: pairs)])
      return pairs.contains { pair in
        let difference = intervals.difference(pair, in: 0)
        return difference.isAbove || difference.isBelow
      }
    }
  }

  private static func uniform(_ random: inout SplitMix64) -> Double {
    (Double(random.next() >> 11) + 0.5) * 0x1p-53
  }

  private static func gaussian(_ random: inout SplitMix64) -> Double {
    (-2 * log(uniform(&random))).squareRoot() * cos(2 * .pi * uniform(&random))
  }

  private static let workloads = 250
  private static let most = 5

  @Test func `names a winner among equal cases in 2 % of workloads at most`() {
    #expect(alarms(of: Self.workloads, trials: 3) { 0.05 * Self.gaussian(&$0) } <= Self.most)
  }

  @Test func `does so where one trial in twelve is far slower`() {
    let found = alarms(of: Self.workloads, trials: 3) { random in
      let spike = Self.uniform(&random) < 1.0 / 12 ? -0.5 * log(Self.uniform(&random)) : 0
      return 0.03 * Self.gaussian(&random) + spike
    }
    #expect(found <= Self.most)
  }

  @Test func `finds a factor of two in five trials`() {
    var random = SplitMix64(state: 3)
    let found = (0..<20).count { _ in
      let first = (0..<5).map { _ in 0.05 * Self.gaussian(&random) }
      let second = (0..<5).map { _ in log(2) + 0.05 * Self.gaussian(&random) }
      let intervals = TrialIntervals([
        .init(cases: [first, second], pairs: [TrialIntervals.Pair(0, 1)])
      ])
      return intervals.difference(TrialIntervals.Pair(0, 1), in: 0).isBelow
    }
    #expect(found >= 19)
  }

  private static let looks = [3, 5, 8, 12, 20]
  private static let pair = TrialIntervals.Pair(0, 1)

  private func trials(_ mean: Double, _ random: inout SplitMix64) -> [Double] {
    (0..<20).map { _ in mean + 0.05 * Self.gaussian(&random) }
  }

  private func seen(
    _ cases: [[Double]],
    after look: Int,
    _ factors: [Double]? = nil
  ) -> TrialIntervals {
    TrialIntervals(
      [.init(cases: cases.map { Array($0.prefix(look)) }, pairs: [Self.pair])],
      looks: Self.looks,
      factors: factors
    )
  }

  @Test func `names no more winners among equal cases when it looks again and again`() {
    var random = SplitMix64(state: 11)
    let factors = seen([trials(0, &random), trials(0, &random)], after: 20).factors
    let found = (0..<500).count { _ in
      let cases = [trials(0, &random), trials(0, &random)]
      return Self.looks.contains { look in
        let difference = seen(cases, after: look, factors).difference(Self.pair, in: 0)
        return difference.isAbove || difference.isBelow
      }
    }
    #expect(found <= 2 * Self.most)
  }

  @Test func `tells a quarter more work from none by the last look`() {
    var random = SplitMix64(state: 12)
    let factors = seen([trials(0, &random), trials(0, &random)], after: 20).factors
    #expect(factors == factors.sorted(by: >))
    let found = (0..<100).count { _ in
      let cases = [trials(log(1.25), &random), trials(0, &random)]
      return seen(cases, after: 20, factors).difference(Self.pair, in: 0).isAbove
    }
    #expect(found >= 95)
  }

  @Test func `holds with the factors of the first look, and never says less than it did`() {
    var random = SplitMix64(state: 13)
    let cases = [trials(0.1, &random), trials(0, &random)]
    let first = seen(cases, after: 3)
    #expect(seen(cases, after: 20).factors == first.factors)
    var last = first.difference(Self.pair, in: 0)
    for look in Self.looks.dropFirst() {
      let next = seen(cases, after: look, first.factors).difference(Self.pair, in: 0)
      #expect(next.lower >= last.lower && next.upper <= last.upper)
      #expect(next.lower <= next.estimate && next.estimate <= next.upper)
      // Between interim looks, intervals do not change.
      let between = seen(cases, after: look - 1, first.factors).difference(Self.pair, in: 0)
      #expect(between == last)
      last = next
    }
  }

  @Test func `gives the same interval each time`() {
    let family = TrialIntervals.Family(
      cases: [[0, 0.1, 0.2], [1, 1.1, 0.9]],
      pairs: [TrialIntervals.Pair(0, 1)]
    )
    let pair = TrialIntervals.Pair(0, 1)
    let first = TrialIntervals([family]).difference(pair, in: 0)
    #expect(TrialIntervals([family]).difference(pair, in: 0) == first)
    let exchanged = TrialIntervals([family]).difference(TrialIntervals.Pair(1, 0), in: 0)
    #expect((exchanged.lower, exchanged.upper) == (-first.upper, -first.lower))
  }
}
