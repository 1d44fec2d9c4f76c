import Basics

/// The log ratios of the two sides' times that the blocks measured so far do not exclude: an
/// interval that is valid at any stopping time.
///
/// It is the hull of all values for which the two-sided ``SymmetryProcess`` is currently below
/// 1/level. Its coverage holds at all blocks at once, so intersecting it with earlier intervals
/// would be valid too. It is not intersected, because the intersection might exclude the median
/// that is printed next to it. Fewer than eight blocks exclude nothing at a level of 5 %.
package struct ConfidenceSequence: Hashable, Sendable {
  /// The bounds as log ratios; infinite if the blocks exclude nothing.
  package var lower: Double
  package var upper: Double

  /// Searches outwards from the median, and refines the last step by bisection.
  ///
  /// With `isRunning`, a value excluded at one block stays excluded at all later blocks, as in a
  /// test that may stop at any block.
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

  // The search from the median moves in steps of 0.02 robust standard deviations, which grow by 2 %
  // from the fiftieth step on. It ends when all blocks are far to one side, because the evidence no
  // longer changes there.
  private static let stepsPerScale = 50.0

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

/// A range of changes, each given as the ratio of the head's time (the side under test) to the
/// base's, minus 1; 0.02 means 2 % slower.
package struct ChangeInterval: Hashable, Sendable {
  /// The lower bound; -1 if the blocks do not exclude any decrease.
  package var lower: Double
  /// The upper bound; infinite if the blocks do not exclude any increase.
  package var upper: Double
}

extension ChangeInterval {
  package init(_ sequence: ConfidenceSequence) {
    self.init(lower: expm1(sequence.lower), upper: expm1(sequence.upper))
  }
}

extension ConfidenceSequence {
  /// Narrows the boundary between a kept and an excluded value by twenty bisections, and returns
  /// its excluded end.
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
