import Foundation

/// The evidence that a change lies within a margin, on either side.
///
/// Two one-sided tests, each of which may reach its level at a block of its own: if the true change
/// lies at the margin or beyond, one of them is of a true hypothesis, so a false 'unchanged' has the
/// probability of one level.
package struct EquivalenceProcess: Sendable {
  private let margin: Double
  private let threshold: Double
  private var belowMargin: SymmetryProcess
  private var aboveMargin: SymmetryProcess

  /// No evidence yet for a change smaller than `margin` (a log ratio).
  package init(margin: Double, level: Double) {
    self.margin = margin
    threshold = -log(level)
    belowMargin = SymmetryProcess(against: margin, alternative: .isLess)
    aboveMargin = SymmetryProcess(against: -margin, alternative: .isGreater)
  }

  /// Whether both hypotheses of a change at the margin or beyond were rejected.
  package var isEstablished: Bool {
    belowMargin.largestLogEValue >= threshold && aboveMargin.largestLogEValue >= threshold
  }

  package mutating func add(_ logRatio: Double) {
    belowMargin.add(logRatio)
    aboveMargin.add(logRatio)
  }

  /// The smallest change, as a log ratio, that these blocks exclude on both sides, as they do every
  /// change from there to the margin; `nil` before equivalence is established.
  package func smallestExcluded(by logRatios: [Double]) -> Double? {
    guard isEstablished else { return nil }
    return max(
      boundary { SymmetryProcess(of: logRatios, against: $0, alternative: .isLess) },
      boundary { SymmetryProcess(of: logRatios, against: -$0, alternative: .isGreater) }
    )
  }

  // Downwards from the margin to the first change that is not excluded: below it a smaller one
  // might be excluded again, which is no bound.
  private func boundary(_ process: (Double) -> SymmetryProcess) -> Double {
    func isExcluded(_ change: Double) -> Bool {
      process(change).largestLogEValue >= threshold
    }
    let steps = 50
    var excluded = margin
    for step in (0..<steps).reversed() {
      let change = margin * Double(step) / Double(steps)
      guard isExcluded(change) else {
        return Bisection.boundary(between: change, and: excluded, isExcluded)
      }
      excluded = change
    }
    return excluded
  }
}
