import Foundation
import Reporting

/// The 95 % intervals of some cases' typical values, from the variation of all their trials together.
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

  /// The interval of the geometric mean of one of the samples.
  package func interval(of sample: [Double]) -> ClosedRange<Double>? {
    guard let reach, sample.count > 1, sample.allSatisfy({ $0 > 0 }) else { return nil }
    let mean = sample.reduce(0) { $0 + log($1) } / Double(sample.count)
    let half = reach / Double(sample.count).squareRoot()
    return exp(mean - half)...exp(mean + half)
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
