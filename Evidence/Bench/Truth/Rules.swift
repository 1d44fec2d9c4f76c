import Compare
import Foundation
import Runner

enum Claim {
  case slower
  case faster
  case none
}

/// A rule by which a tool or textbook separates a change from noise, given the times of both sides.
protocol Rule {
  /// The name of the rule in the table, at most 18 characters.
  static var shortName: String { get }
  /// Returns the rule's claim about two sides with the same number of values.
  static func claim(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Claim
}

extension Rule {
  private static var fewestValues: Int { 5 }

  static func claimAtEnd(base: [Double], head: [Double]) -> Claim {
    claim(base: base[...], head: head[...])
  }

  /// Returns the first claim of a change if the rule is applied after every pair of values.
  static func firstClaim(base: [Double], head: [Double]) -> Claim {
    for count in stride(from: fewestValues, through: base.count, by: 1) {
      let claim = claim(base: base.prefix(count), head: head.prefix(count))
      if claim != .none { return claim }
    }
    return .none
  }
}

/// StoreBench's own test, for one case in a suite of twenty: it requires an e-value of 4,000.
enum SymmetryRule: Rule {
  static let shortName = "StoreBench 4,000"
  private static let threshold = log(4_000.0)

  static func claim(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Claim {
    let logRatios = zip(base, head).map { log($1) - log($0) }
    let process = SymmetryProcess(of: logRatios, against: 0)
    guard process.logEValue >= threshold else { return .none }
    let sorted = logRatios.sorted()
    return sorted[sorted.count / 2] > 0 ? .slower : .faster
  }
}

/// Welch's t-test at 1/4,000, the same level as StoreBench's own test.
enum EqualWelchTest: Rule {
  static let shortName = "Welch 0.00025"

  static func claim(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Claim {
    WelchTest.claim(base: base, head: head, level: 1 / 4_000)
  }
}

/// Welch's t-test for unequal variances (1947), two-sided at 0.05.
enum WelchTest: Rule {
  static let shortName = "Welch 0.05"

  static func claim(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Claim {
    claim(base: base, head: head, level: 0.05)
  }

  fileprivate static func claim(
    base: ArraySlice<Double>,
    head: ArraySlice<Double>,
    level: Double
  ) -> Claim {
    guard let probability = probability(base: base, head: head), probability < level else {
      return .none
    }
    return Moments(head).mean > Moments(base).mean ? .slower : .faster
  }

  /// The two-sided p-value; `nil` if a side has fewer than two values or if no value varies.
  static func probability(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Double? {
    let (left, right) = (Moments(base), Moments(head))
    guard left.count > 1, right.count > 1 else { return nil }
    let (a, b) = (left.variance / left.count, right.variance / right.count)
    guard a + b > 0 else { return nil }
    let squared = (right.mean - left.mean) * (right.mean - left.mean) / (a + b)
    let freedom = (a + b) * (a + b) / (a * a / (left.count - 1) + b * b / (right.count - 1))
    return IncompleteBeta.value(freedom / (freedom + squared), freedom / 2, 0.5)
  }
}

/// The Mann-Whitney test (1947), two-sided at 0.05.
///
/// It is exact without ties and with up to twenty values per side. Otherwise it uses the normal
/// approximation with corrections for ties and continuity.
enum MannWhitneyTest: Rule {
  static let shortName = "Mann-Whitney 0.05"
  private static let mostExact = 20

  static func claim(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Claim {
    let ranking = Ranking(base: base, head: head)
    guard probability(ranking) < 0.05 else { return .none }
    return ranking.statistic > ranking.expected ? .slower : .faster
  }

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

  /// The number of orderings of m and n values for each U: coefficients of the Gaussian binomial.
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

  /// The ranks of both sides' values in one common order; equal values share their mean rank.
  private struct Ranking {
    let base: Int
    let head: Int
    /// The number of pairs in which the head's value is larger; equal pairs count as one half.
    let statistic: Double
    /// The sum of t³ − t over all groups of t equal values.
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

/// The rule of tango: the mean difference of pairs is significant and exceeds 0.5 % of the base.
///
/// A difference is significant from 2.6 standard errors.
enum TangoRule: Rule {
  static let shortName = "tango 2.6"

  static func claim(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Claim {
    let differences = Moments(zip(base, head).map { $1 - $0 })
    let error = (differences.variance / differences.count).squareRoot()
    let share = differences.mean / Moments(base).mean
    guard error > 0, abs(differences.mean / error) >= 2.6, abs(share) > 0.005 else { return .none }
    return differences.mean > 0 ? .slower : .faster
  }
}

/// The default thresholds of ordo-one's package-benchmark, which uses no significance test.
///
/// A change of 5 % at the 25th, 50th or 75th percentile is enough for a claim.
enum PercentileThresholds: Rule {
  static let shortName = "ordo-one 5 %"
  private static let percentiles = [25, 50, 75]
  private static let threshold = 5.0

  static func claim(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Claim {
    let (left, right) = (base.sorted(), head.sorted())
    let changes = percentiles.map { percent in
      100 - 100 * rank(percent, of: left) / rank(percent, of: right)
    }
    if changes.contains(where: { $0 > threshold }) { return .slower }
    return changes.contains { $0 < -threshold } ? .faster : .none
  }

  private static func rank(_ percent: Int, of sorted: [Double]) -> Double {
    sorted[(percent * sorted.count + 99) / 100 - 1]
  }
}

/// The mean and the sample variance (n − 1) of some values.
private struct Moments {
  let count: Double
  let mean: Double
  let variance: Double

  init(_ values: some Collection<Double>) {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / max(count, 1)
    self.count = count
    self.mean = mean
    variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / max(count - 1, 1)
  }
}
