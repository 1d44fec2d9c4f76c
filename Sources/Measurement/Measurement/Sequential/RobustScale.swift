/// A standard deviation that spikes do not move: 1.4826 times a median of distances.
package enum RobustScale {
  /// What makes the median distance of normal values their standard deviation.
  static let consistency = 1.4826
  /// The smallest scale of a log ratio: no clock tells 0.02 % of a few milliseconds.
  static let floor = 0.0002

  /// The scale that a median of distances stands for.
  static func scale(ofMedianDistance median: Double) -> Double {
    max(consistency * median, floor)
  }

  /// The scale of values around their own median.
  package static func scale(of values: [Double]) -> Double {
    let center = RunningMedian(of: values).value
    return scale(ofMedianDistance: RunningMedian(of: values.map { abs($0 - center) }).value)
  }
}
