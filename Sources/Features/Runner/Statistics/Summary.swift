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
