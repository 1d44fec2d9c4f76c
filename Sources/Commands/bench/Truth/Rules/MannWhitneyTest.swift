import Foundation

/// The test of Mann and Whitney (1947), two-sided at 0.05: exact without ties and up to twenty
/// values a side, else normal with the correction for ties and for continuity.
enum MannWhitneyTest: Rule {
  static let shortName = "Mann-Whitney 0.05"
  private static let mostExact = 20

  static func claim(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Claim {
    let ranking = Ranking(base: base, head: head)
    guard probability(ranking) < 0.05 else { return .none }
    return ranking.statistic > ranking.expected ? .slower : .faster
  }

  /// The two-sided p-value.
  static func probability(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Double {
    probability(Ranking(base: base, head: head))
  }

  private static func probability(_ ranking: Ranking) -> Double {
    let isExact = ranking.tieTerm == 0 && max(ranking.base, ranking.head) <= mostExact
    return min(1, isExact ? exact(ranking) : normal(ranking))
  }

  private static func exact(_ ranking: Ranking) -> Double {
    let counts = orderings(ranking.base, ranking.head)
    let total = counts.reduce(0, +)
    let smaller = Int(min(ranking.statistic, 2 * ranking.expected - ranking.statistic))
    return 2 * counts[...smaller].reduce(0, +) / total
  }

  private static func normal(_ ranking: Ranking) -> Double {
    let (m, n) = (Double(ranking.base), Double(ranking.head))
    let sum = m + n
    let variance = m * n / 12 * (sum + 1 - ranking.tieTerm / (sum * (sum - 1)))
    guard variance > 0 else { return 1 }
    let distance = max(0, abs(ranking.statistic - ranking.expected) - 0.5)
    return erfc(distance / variance.squareRoot() / 2.0.squareRoot())
  }

  /// How many orderings of m and n values give each U: the coefficients of the Gaussian binomial.
  private static func orderings(_ m: Int, _ n: Int) -> [Double] {
    var counts = [Double](repeating: 0, count: m * n + 1)
    counts[0] = 1
    for factor in 1...m {
      for place in stride(from: m * n, through: n + factor, by: -1) {
        counts[place] -= counts[place - n - factor]
      }
      for place in stride(from: factor, through: m * n, by: 1) {
        counts[place] += counts[place - factor]
      }
    }
    return counts
  }
}

extension MannWhitneyTest {
  /// The values of both sides in one order, with mean ranks where some are equal.
  private struct Ranking {
    let base: Int
    let head: Int
    /// How many pairs of values the head has the larger one in; an equal pair is half a one.
    let statistic: Double
    /// The sum of t³ − t over groups of t equal values.
    let tieTerm: Double

    var expected: Double { Double(base * head) / 2 }

    init(base: ArraySlice<Double>, head: ArraySlice<Double>) {
      self.base = base.count
      self.head = head.count
      let all = (base.map { ($0, false) } + head.map { ($0, true) }).sorted { $0.0 < $1.0 }
      var rankSum = 0.0
      var ties = 0.0
      var start = 0
      while start < all.count {
        let end = all[start...].firstIndex { $0.0 != all[start].0 } ?? all.count
        let size = Double(end - start)
        let rank = Double(start) + (size + 1) / 2
        rankSum += rank * Double(all[start..<end].count { $0.1 })
        ties += size * size * size - size
        start = end
      }
      statistic = rankSum - Double(head.count * (head.count + 1)) / 2
      tieTerm = ties
    }
  }
}
