import Basics

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
  ///
  /// What `isRunning` excludes at one block stays excluded at all later ones, as in a test that may
  /// stop at any block.
  package init(of logRatios: [Double], level: Double = 0.05, isRunning: Bool = false) {
    let center = RunningMedian(of: logRatios).value
    let scale = RobustScale.scale(of: logRatios)
    let farthest = logRatios.reduce(0) { max($0, abs($1 - center)) }
    let end = 20 * (farthest + scale)
    let reach = { (sign: Double) in
      Self.reach(step: scale / Self.stepsPerScale, end: end) { distance in
        let process = SymmetryProcess(of: logRatios, against: center + sign * distance)
        return (isRunning ? process.largestLogEValue : process.logEValue) >= -log(level)
      }
    }
    lower = center - reach(-1)
    upper = center + reach(1)
  }

  // Steps of 0.02 scales, from fifty steps out growing by 2 %, until every block lies far on one
  // side: from there on nothing changes any more.
  private static let stepsPerScale = 50.0

  /// The largest distance from the median that is not excluded.
  private static func reach(
    step: Double,
    end: Double,
    _ isExcluded: (Double) -> Bool
  ) -> Double {
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
      distance += max(step, distance / stepsPerScale)
    }
    guard let boundary else { return .infinity }
    return Self.boundary(between: kept, and: boundary, isExcluded)
  }
}

/// A range of changes, each as head over base less 1: 0.02 is 2 % slower.
package struct ChangeInterval: Hashable, Sendable {
  /// -1 where the blocks exclude no change downwards.
  package var lower: Double
  /// Infinite where they exclude none upwards.
  package var upper: Double
}

extension ChangeInterval {
  package init(_ sequence: ConfidenceSequence) {
    self.init(lower: expm1(sequence.lower), upper: expm1(sequence.upper))
  }
}

extension ConfidenceSequence {
  /// The excluded end after halving the distance to a value that is kept twenty times.
  static func boundary(
    between kept: Double,
    and excluded: Double,
    _ isExcluded: (Double) -> Bool
  ) -> Double {
    var (kept, excluded) = (kept, excluded)
    for _ in 0..<20 {
      let middle = (kept + excluded) / 2
      if isExcluded(middle) { excluded = middle } else { kept = middle }
    }
    return excluded
  }
}
