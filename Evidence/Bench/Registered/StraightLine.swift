import Forecasting
import Foundation
import Runner

/// Predicts without a cost model: a straight line through a ladder's runs.
///
/// The line is fitted by ordinary least squares, with the textbook interval for one further run.
struct StraightLine: Sendable {
  private let intercept: Double
  private let slope: Double
  private let deviation: Double
  private let meanSize: Double
  private let spread: Double
  private let count: Double

  init?(_ data: LadderData) {
    self.init(data.rungs.flatMap { rung in rung.runs.map { (rung.size, $0) } })
  }

  /// Fits pairs of size and cost; returns `nil` for fewer than three pairs, or if all sizes are
  /// equal.
  init?(_ points: [(Double, Double)]) {
    guard points.count > 2 else { return nil }
    count = Double(points.count)
    let meanSize = points.reduce(0) { $0 + $1.0 } / count
    let mean = points.reduce(0) { $0 + $1.1 } / count
    let spread = points.reduce(0) { $0 + ($1.0 - meanSize) * ($1.0 - meanSize) }
    guard spread > 0 else { return nil }
    let slope = points.reduce(0) { $0 + ($1.0 - meanSize) * ($1.1 - mean) } / spread
    let intercept = mean - slope * meanSize
    let rest = points.reduce(0) { sum, point in
      let error = point.1 - intercept - slope * point.0
      return sum + error * error
    }
    deviation = (rest / (count - 2)).squareRoot()
    (self.meanSize, self.spread, self.slope, self.intercept) = (meanSize, spread, slope, intercept)
  }

  /// The 90 % prediction interval for one further run.
  func predict(objects: Double) -> Interval {
    let distance = objects - meanSize
    let variance = 1 + 1 / count + distance * distance / spread
    let reach = StudentT.quantile90(freedom: count - 2) * deviation * variance.squareRoot()
    let value = intercept + slope * objects
    return Interval(value: value, low: value - reach, high: value + reach)
  }
}

extension Interval {
  /// The interval score at 90 %, as a share of the outcome; smaller is better.
  ///
  /// The score is the width plus twenty times the distance from the interval to an outcome outside
  /// it (Gneiting and Raftery 2007).
  func score(of outcome: Double) -> Double {
    guard outcome > 0 else { return .infinity }
    let outside = max(low - outcome, 0) + max(outcome - high, 0)
    return (high - low + 2 / 0.1 * outside) / outcome
  }
}
