import Basics
import Foundation
import Reporting

/// The statistics of one sample.
///
/// Percentiles are nearest-rank: the p-th percentile of n sorted values is the value at rank
/// ⌈p·n/100⌉. Each is therefore a measured value (a counter stays an integer), and of ten values,
/// p90 is the ninth and p99 the largest. By contrast, hyperfine averages the two middle values for
/// an even count, and criterion.rs interpolates between ranks. The results can differ by up to half
/// the gap between neighboring values.
package struct Summary: Hashable, Sendable {
  package var count: Int
  package var min: Double
  /// The median.
  package var p50: Double
  package var p90: Double
  package var p99: Double
  package var max: Double
  package var mean: Double
  /// The sample standard deviation (n − 1); `nil` for a single value.
  package var standardDeviation: Double?

  /// Computes the statistics of the values; `nil` if there are no values or if any is not finite.
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
    // Sum the values in sorted order, so that the order of measurement does not affect the last
    // bit. Clamp the mean, because rounding could put it outside the range of the values.
    mean = Swift.min(Swift.max(Summary.mean(of: sorted), first), last)
    standardDeviation = Summary.standardDeviation(of: sorted, mean: mean)
  }

  /// The standard deviation divided by the mean; `nil` for a single value or a mean of zero.
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

  // Use two passes. A single pass would subtract the squared sum from the sum of squares. The
  // difference of two nearly equal numbers has few significant digits, and repeated times are close
  // together.
  private static func standardDeviation(of values: [Double], mean: Double) -> Double? {
    guard values.count > 1 else { return nil }
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(values.count - 1)).squareRoot()
  }
}

extension Sample {
  /// The statistics of all values; `nil` if the sample is empty or if a value is not finite.
  package var summary: Summary? { Summary(of: values) }

  /// The median (nearest rank); `nil` if the sample is empty or if a value is not finite.
  package var median: Double? { summary?.p50 }
}

/// Student's t distribution.
package struct StudentT: Sendable {
  package let degrees: Double

  package init(degrees: Double) {
    self.degrees = degrees
  }

  /// Returns the probability of a value above t, for t ≥ 0.
  ///
  /// The probability is half the regularized incomplete beta function I(ν/2, 1/2) at ν/(ν + t²)
  /// (Abramowitz and Stegun, 26.7.1).
  package func upperTail(_ t: Double) -> Double {
    IncompleteBeta.value(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
  }

  /// Returns the value exceeded with the given probability, which must be at most one half.
  package func upperQuantile(_ share: Double) -> Double {
    guard share > 0, share < 0.5 else { return share <= 0 ? .infinity : 0 }
    var (low, high) = (0.0, 1.0)
    while upperTail(high) > share, high < 1e300 { high *= 2 }
    // Bisect until no number lies between the bounds.
    while true {
      let middle = low + (high - low) / 2
      guard middle > low, middle < high else { return high }
      if upperTail(middle) > share { low = middle } else { high = middle }
    }
  }

  /// Returns the half-width of a 90 % interval in standard deviations, to three decimal places;
  /// fractional degrees of freedom are rounded down.
  package static func quantile90(freedom: Double) -> Double {
    let degrees = min(max(1, freedom.rounded(.down)), normalDegrees)
    let index = Int(degrees) - 1
    return index < usualQuantiles90.count ? usualQuantiles90[index] : quantile90(degrees)
  }

  /// The degrees of freedom beyond which the quantiles equal those of the normal distribution to
  /// four decimal places.
  package static let normalDegrees = 100_000.0

  /// Precomputed quantiles for the small degrees of freedom that forecasts use for every size.
  private static let usualQuantiles90 = (1...30).map { quantile90(Double($0)) }

  private static func quantile90(_ degrees: Double) -> Double {
    (StudentT(degrees: degrees).upperQuantile(0.05) * 1000).rounded() / 1000
  }
}

/// The regularized incomplete beta function, from which Student's t distribution is computed.
package enum IncompleteBeta {
  private static let tiny = 1e-300

  /// Returns I_x(a, b), which is 0 for x below 0 and 1 for x above 1.
  package static func value(_ x: Double, _ a: Double, _ b: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    let factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    // The continued fraction converges quickly only on one side of the mean; the other side is
    // computed as the complement.
    return x < (a + 1) / (a + b + 2)
      ? factor * fraction(x, a, b) / a : 1 - factor * fraction(1 - x, b, a) / b
  }

  /// Evaluates the continued fraction of Abramowitz and Stegun, 26.5.8, from the front (Lentz's
  /// method).
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

/// The 95 % confidence intervals of the medians of several cases, based on the pooled variation of
/// all their trials.
///
/// A case with only three trials estimates its own variation so poorly that its interval would be
/// useless.
package struct PooledIntervals {
  private let reach: Double?

  /// Pools the variation of the logarithms of the samples.
  ///
  /// Every interval is `nil` if nothing varies or no sample has two or more positive values.
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

  /// Returns the confidence interval of a sample's median, or `nil` if it cannot be estimated.
  ///
  /// The standard error of a median of normal values is at most √(π/2) times the standard error of
  /// their mean.
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
