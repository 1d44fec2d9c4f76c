import Foundation

/// The log ratios that the blocks so far do not exclude: an interval valid at any stopping time.
///
/// All values against which the two-sided process stays below 1/level now, and between them what
/// lies in holes (the hull). Its coverage holds at all blocks at once, so intersecting it with
/// earlier intervals would be valid too; it is not done, because an intersection can lose the
/// median that is printed beside it. Fewer than eight blocks exclude nothing at a level of 5 %.
package struct ConfidenceSequence: Hashable, Sendable {
  /// The ends as log ratios; infinite where the blocks exclude nothing.
  package var lower: Double
  package var upper: Double

  /// Scans from the median outwards, and halves the last step.
  package init(of logRatios: [Double], level: Double = 0.05) {
    let scan = OutwardScan(logRatios)
    let excludes = { (value: Double) in
      SymmetryProcess(of: logRatios, against: value).logEValue >= -log(level)
    }
    lower = scan.center - scan.reach { excludes(scan.center - $0) }
    upper = scan.center + scan.reach { excludes(scan.center + $0) }
  }
}

/// Distances from the median at which a confidence sequence is looked for.
private struct OutwardScan {
  let center: Double
  private let step: Double
  private let end: Double

  // Steps of 0.02 scales, from fifty steps out growing by 2 %, until every block lies far on one
  // side: from there on nothing changes any more.
  private static let stepsPerScale = 50.0

  init(_ logRatios: [Double]) {
    let center = RunningMedian(of: logRatios).value
    self.center = center
    let scale = RobustScale.scale(of: logRatios)
    step = scale / Self.stepsPerScale
    let farthest = logRatios.reduce(0) { max($0, abs($1 - center)) }
    end = 20 * (farthest + scale)
  }

  /// The largest distance that is not excluded.
  func reach(_ isExcluded: (Double) -> Bool) -> Double {
    var kept = 0.0
    var boundary: Double?
    var distance = step
    while distance < end {
      if !isExcluded(distance) {
        kept = distance
        boundary = nil
      } else if boundary == nil {
        boundary = distance
      }
      distance += max(step, distance / Self.stepsPerScale)
    }
    guard let boundary else { return .infinity }
    return Bisection.boundary(between: kept, and: boundary, isExcluded)
  }
}
