import Basics
import Foundation
import Runner

/// The blocks of one case (alternating slices of both sides) and the evidence from them; the suite
/// decides for which cases 'no change' is rejected.
package struct SequentialComparison: Sendable {
  package let policy: LivePolicy
  /// For each block, in order, the log ratio of the time of the head (the side under test) to that
  /// of the base (the reference).
  package private(set) var logRatios: [Double] = []

  private var process = SymmetryProcess()
  private var equivalence: EquivalenceProcess

  /// Creates a comparison without blocks.
  package init(policy: LivePolicy) {
    self.policy = policy
    equivalence = EquivalenceProcess(margin: log1p(policy.margin), level: policy.equivalenceLevel)
  }

  /// Adds a block; a log ratio that is not finite is ignored.
  package mutating func add(_ logRatio: Double) {
    guard logRatio.isFinite else { return }
    logRatios.append(logRatio)
    process.add(logRatio)
    equivalence.add(logRatio)
  }

  /// The logarithm of the largest e-value so far against 'no change'; the inverse of the e-value is
  /// a p-value.
  package var largestLogEValue: Double { process.largestLogEValue }

  /// The median of the log ratios; 0 before the first block.
  package var median: Double { RunningMedian(of: logRatios).value }

  /// The robust standard deviation of the log ratios; `nil` with fewer than two blocks.
  package var scale: Double? {
    logRatios.count < 2 ? nil : RobustScale.scale(of: logRatios)
  }

  /// The 95 % confidence interval of the change.
  package var interval: ChangeInterval { ChangeInterval(ConfidenceSequence(of: logRatios)) }

  /// Whether the blocks exclude a change at the margin or beyond, in both directions.
  package var isUnchanged: Bool {
    logRatios.count >= policy.minimumBlocks && equivalence.isEstablished
  }

  /// The verdict 'changed', which holds only if the suite has rejected 'no change' for the case.
  package var changed: LiveVerdict {
    let median = median
    return .changed(
      estimate: expm1(median),
      interval: interval,
      isBelowFloor: abs(median) < log1p(policy.floor)
    )
  }

  /// The verdict 'unchanged', or `nil` if the blocks do not support it yet.
  package var unchanged: LiveVerdict? {
    guard isUnchanged, let bound = equivalence.smallestExcluded(by: logRatios) else { return nil }
    return .unchanged(wouldHaveSeen: expm1(bound), interval: interval)
  }

  /// Estimates the number of blocks and the time that are still needed, if an e-value of
  /// `exp(logThreshold)` rejects 'no change'.
  package func shortfall(logThreshold: Double, secondsPerBlock: Double?) -> Shortfall {
    guard let scale else { return Shortfall(blocks: nil, seconds: nil, scale: nil) }
    let forecast = BlockForecast(scale: scale, logThreshold: logThreshold)
    let blocks = remainingBlocks(forecast)
    return Shortfall(
      blocks: blocks,
      seconds: secondsPerBlock.map { $0 * Double(blocks) },
      scale: scale
    )
  }

  private static let mostBlocks = 1e9

  private func remainingBlocks(_ forecast: BlockForecast) -> Int {
    let toUnchanged = forecast.blocksToUnchanged(by: median, margin: log1p(policy.margin))
    let needed = min(
      forecast.blocksToChanged(by: median),
      max(toUnchanged, Double(policy.minimumBlocks))
    )
    let remaining = min(needed, Self.mostBlocks) - Double(logRatios.count)
    return max(1, Int(remaining.rounded(.up)))
  }
}

/// The verdict of a live comparison on the time of one case.
///
/// Changes are given as the head's time divided by the base's, minus 1.
package enum LiveVerdict: Hashable, Sendable {
  /// The sides differ; a change below the policy's floor is reported without failing the
  /// comparison.
  case changed(estimate: Double, interval: ChangeInterval, isBelowFloor: Bool)
  /// A change of `wouldHaveSeen` or more, in either direction, is excluded at the significance
  /// level of the equivalence test.
  case unchanged(wouldHaveSeen: Double, interval: ChangeInterval)
  /// The blocks so far do not decide the case.
  case cannotTell(Shortfall)

  /// Whether the case needs no further blocks.
  package var isDecided: Bool {
    if case .cannotTell = self { false } else { true }
  }

  /// Whether the case got slower by the floor or more, which fails the comparison.
  package var isRegression: Bool {
    if case .changed(let estimate, _, false) = self { estimate > 0 } else { false }
  }
}

/// The blocks and the time that an undecided case still needs for a verdict.
package struct Shortfall: Hashable, Sendable {
  /// The approximate number of further blocks; `nil` if there are too few blocks for an estimate.
  package var blocks: Int?
  /// The time for the further blocks in seconds, at the mean duration of the case's blocks so far.
  package var seconds: Double?
  /// The robust standard deviation of the blocks' log ratios; `nil` with fewer than two blocks.
  package var scale: Double?

  /// Whether a verdict is out of reach on this machine, because it would take more than a certain
  /// multiple of the whole budget.
  package func isOutOfReach(budget seconds: Double, policy: LivePolicy) -> Bool {
    (self.seconds ?? 0) > policy.outOfReach * seconds
  }
}

/// Estimates how many blocks a verdict takes, from simulated, normally distributed log ratios.
///
/// The constants are in standard deviations of a block's log ratio, at an e-value of 4,000; other
/// thresholds scale by their logarithm. SequentialPowerTests repeats the simulation.
package struct BlockForecast {
  /// The standard deviation of the log ratios, and the logarithm of the e-value that rejects 'no
  /// change'.
  package var scale: Double
  package var logThreshold: Double

  package init(scale: Double, logThreshold: Double) {
    (self.scale, self.logThreshold) = (scale, logThreshold)
  }

  private static let simulatedLogThreshold = log(4_000.0)
  private static let changed = (constant: 14.0, factor: 5.2)
  private static let unchangedFactor = 4.0

  private var severity: Double { logThreshold / Self.simulatedLogThreshold }

  /// The number of blocks by which about 80 % of comparisons reach 'changed'; infinite if there is
  /// no change.
  package func blocksToChanged(by logRatio: Double) -> Double {
    let needed = Self.changed.constant + pow(Self.changed.factor * scale / abs(logRatio), 2)
    return needed * severity
  }

  /// The number of blocks by which about 80 % of comparisons reach 'unchanged'; infinite for a
  /// change at the margin or beyond.
  package func blocksToUnchanged(by logRatio: Double, margin: Double) -> Double {
    guard abs(logRatio) < margin else { return .infinity }
    return pow(Self.unchangedFactor * scale / (margin - abs(logRatio)), 2)
  }
}
