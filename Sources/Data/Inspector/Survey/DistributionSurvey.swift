import DataModel

/// How the values of a column lie: the range, a few quantiles, a histogram.
package struct DistributionSurvey: Encodable, Equatable, Sendable {
  package var count: Int
  package var minimum: Double
  package var p25: Double
  package var p50: Double
  package var p75: Double
  package var p90: Double
  package var p99: Double
  package var maximum: Double
  /// Counts of values in bins of equal width from the minimum to the maximum.
  package var histogram: [Int]

  /// Bins of a histogram.
  static let binCount = 10

  /// What a sketch holds; `nil` where nothing was added, or a value has no finite number.
  init?(_ sketch: QuantileSketch) {
    guard let low = sketch.minimum, let high = sketch.maximum, low.isFinite, high.isFinite else {
      return nil
    }
    count = sketch.count
    minimum = low
    maximum = high
    func quantile(_ share: Double) -> Double { sketch.quantile(share) ?? low }
    p25 = quantile(0.25)
    p50 = quantile(0.5)
    p75 = quantile(0.75)
    p90 = quantile(0.9)
    p99 = quantile(0.99)
    histogram = sketch.histogram(bins: Self.binCount, from: low, to: high)
  }
}
