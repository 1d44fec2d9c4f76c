import Basics
import Foundation
import Reporting

/// The statistics of one sample.
///
/// Percentiles are nearest-rank: the p-th of n sorted values is the one at rank ⌈p·n/100⌉. So each
/// is a value that was measured (a counter stays whole), and with ten values p90 is the ninth and
/// p99 the largest. hyperfine takes the mean of the two middle values as the median of an even
/// number, and criterion.rs interpolates between ranks of n − 1: up to half a gap between
/// neighbours away from ours.
package struct Summary: Hashable, Sendable {
  package var count: Int
  package var min: Double
  /// The median.
  package var p50: Double
  package var p90: Double
  package var p99: Double
  package var max: Double
  package var mean: Double
  /// The sample standard deviation (n − 1); `nil` for a single value, which has none.
  package var standardDeviation: Double?

  /// The statistics of values, or `nil` where there are none or one is not finite.
  package init?(of values: [Double]) {
    guard values.allSatisfy(\.isFinite) else { return nil }
    let sorted = values.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    count = sorted.count
    min = first
    max = last
    p50 = Summary.percentile(50, ofSorted: sorted)
    p90 = Summary.percentile(90, ofSorted: sorted)
    p99 = Summary.percentile(99, ofSorted: sorted)
    // Sorted, so that the order of measurement does not decide the last bit; never outside the
    // values, which rounding alone could put it.
    mean = Swift.min(Swift.max(Summary.mean(of: sorted), first), last)
    standardDeviation = Summary.standardDeviation(of: sorted, mean: mean)
  }

  /// The standard deviation as a share of the mean; `nil` for a single value or a mean of zero.
  package var relativeDeviation: Double? {
    guard let standardDeviation, mean > 0 else { return nil }
    return standardDeviation / mean
  }

  private static func percentile(_ percent: Int, ofSorted values: [Double]) -> Double {
    values[(percent * values.count + 99) / 100 - 1]
  }

  private static func mean(of values: [Double]) -> Double {
    values.reduce(0, +) / Double(values.count)
  }

  // Two passes: the sum of squares minus the square of the sum loses all digits for values that
  // are close together, as repeated times are.
  private static func standardDeviation(of values: [Double], mean: Double) -> Double? {
    guard values.count > 1 else { return nil }
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(values.count - 1)).squareRoot()
  }
}

extension Sample {
  /// The statistics of all values; `nil` for a sample without any.
  package var summary: Summary? { Summary(of: values) }

  /// The middle value (nearest rank); `nil` for a sample without any.
  package var median: Double? { summary?.p50 }
}

/// Student's t distribution.
package struct StudentT: Sendable {
  package let degrees: Double

  package init(degrees: Double) {
    self.degrees = degrees
  }

  /// The probability of a value above t, for t ≥ 0: half the regularised incomplete beta function
  /// I(ν/2, 1/2) at ν/(ν + t²) (Abramowitz and Stegun, 26.7.1).
  package func upperTail(_ t: Double) -> Double {
    IncompleteBeta.value(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
  }

  /// The value that a share of the distribution, at most a half, lies above.
  package func upperQuantile(_ share: Double) -> Double {
    guard share > 0, share < 0.5 else { return share <= 0 ? .infinity : 0 }
    var (low, high) = (0.0, 1.0)
    while upperTail(high) > share, high < 1e300 { high *= 2 }
    // Until there is no number between them.
    while true {
      let middle = low + (high - low) / 2
      guard middle > low, middle < high else { return high }
      if upperTail(middle) > share { low = middle } else { high = middle }
    }
  }

  /// How many standard deviations a 90 % interval reaches to either side, to three decimals; parts
  /// of a degree of freedom do not count.
  package static func quantile90(freedom: Double) -> Double {
    let degrees = min(max(1, freedom.rounded(.down)), normalDegrees)
    let index = Int(degrees) - 1
    return index < usualQuantiles90.count ? usualQuantiles90[index] : quantile90(degrees)
  }

  /// From here on the quantiles are those of the normal distribution, to four decimals.
  package static let normalDegrees = 100_000.0

  /// Those of most forecasts, which ask for one at each size that they try.
  private static let usualQuantiles90 = (1...30).map { quantile90(Double($0)) }

  private static func quantile90(_ degrees: Double) -> Double {
    (StudentT(degrees: degrees).upperQuantile(0.05) * 1000).rounded() / 1000
  }
}

/// The regularised incomplete beta function, of which Student's t is made.
package enum IncompleteBeta {
  private static let tiny = 1e-300

  /// I_x(a, b): 0 below 0 and 1 above 1.
  package static func value(_ x: Double, _ a: Double, _ b: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    let factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    // The fraction converges quickly on one side of the mean only; the other is its complement.
    return x < (a + 1) / (a + b + 2)
      ? factor * fraction(x, a, b) / a : 1 - factor * fraction(1 - x, b, a) / b
  }

  /// The continued fraction of Abramowitz and Stegun, 26.5.8, from its beginning (Lentz).
  private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    var c = 1.0
    var d = 1 / notZero(1 - (a + b) * x / (a + 1))
    var result = d
    for index in 1...500 {
      let m = Double(index)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 / notZero(1 + even * d)
      c = notZero(1 + even / c)
      result *= d * c
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / notZero(1 + odd * d)
      c = notZero(1 + odd / c)
      result *= d * c
      if abs(d * c - 1) < 1e-15 { break }
    }
    return result
  }

  private static func notZero(_ value: Double) -> Double { abs(value) < tiny ? tiny : value }
}

/// The 95 % intervals of some cases' medians, from the variation of all their trials together.
///
/// With three trials of its own, a case would know its variation so badly that no interval said
/// anything.
package struct PooledIntervals {
  private let reach: Double?

  /// Learns the variation of logarithms; `nil` intervals where nothing varies or nothing is positive.
  package init(_ samples: [[Double]]) {
    var (squares, freedom) = (0.0, 0)
    for sample in samples where sample.count > 1 && sample.allSatisfy({ $0 > 0 }) {
      let logs = sample.map { log($0) }
      let mean = logs.reduce(0, +) / Double(logs.count)
      squares += logs.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      freedom += logs.count - 1
    }
    guard freedom > 0, squares > 0 else {
      reach = nil
      return
    }
    let deviation = (squares / Double(freedom)).squareRoot()
    reach = deviation * StudentT(degrees: Double(freedom)).upperQuantile(0.025)
  }

  /// The interval about the median of one of the samples.
  ///
  /// A median of normal values varies at most √(π/2) times as much as their mean.
  package func interval(of sample: [Double]) -> ClosedRange<Double>? {
    guard let reach, sample.count > 1, sample.allSatisfy({ $0 > 0 }) else { return nil }
    let sorted = sample.map { log($0) }.sorted()
    let median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    let half = reach * (.pi / 2 / Double(sample.count)).squareRoot()
    return exp(median - half)...exp(median + half)
  }
}

extension ChartAxis.Quantity {
  package init(_ unit: Metric.Unit) {
    switch unit {
    case .seconds: self = .seconds
    case .bytes: self = .bytes
    case .count, .ratio: self = .count
    }
  }
}
