import Basics
import Foundation
import Runner

/// The blocks of one case and what they say so far; the suite decides what rejects.
package struct SequentialComparison: Sendable {
  package let policy: LivePolicy
  /// The log ratio of head over base of each block, in order.
  package private(set) var logRatios: [Double] = []

  private var process = SymmetryProcess()
  private var equivalence: EquivalenceProcess

  /// A comparison without blocks.
  package init(policy: LivePolicy) {
    self.policy = policy
    equivalence = EquivalenceProcess(margin: log1p(policy.margin), level: policy.equivalenceLevel)
  }

  /// Takes a block in; one whose log ratio is no finite number is none.
  package mutating func add(_ logRatio: Double) {
    guard logRatio.isFinite else { return }
    logRatios.append(logRatio)
    process.add(logRatio)
    equivalence.add(logRatio)
  }

  /// The logarithm of the largest e-value against 'no change' at any block: an inverse p-value.
  package var largestLogEValue: Double { process.largestLogEValue }

  /// The median of the log ratios; 0 before the first.
  package var median: Double { RunningMedian(of: logRatios).value }

  /// The robust standard deviation of the log ratios; `nil` with fewer than two.
  package var scale: Double? {
    logRatios.count < 2 ? nil : RobustScale.scale(of: logRatios)
  }

  /// The 95 % interval of the change.
  package var interval: ChangeInterval { ChangeInterval(ConfidenceSequence(of: logRatios)) }

  /// Whether the blocks exclude a change at the margin or beyond, in both directions.
  package var isUnchanged: Bool {
    logRatios.count >= policy.minimumBlocks && equivalence.isEstablished
  }

  /// The verdict of a case whose e-value the suite has rejected.
  package var changed: LiveVerdict {
    let median = median
    return .changed(
      estimate: expm1(median),
      interval: interval,
      isBelowFloor: abs(median) < log1p(policy.floor)
    )
  }

  /// The verdict 'unchanged'; `nil` while the blocks do not say so.
  package var unchanged: LiveVerdict? {
    guard isUnchanged, let bound = equivalence.smallestExcluded(by: logRatios) else { return nil }
    return .unchanged(wouldHaveSeen: expm1(bound), interval: interval)
  }

  /// What is still missing, where an e-value of `exp(logThreshold)` rejects.
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

/// What a live comparison says of the time of one case; changes are head over base less 1.
package enum LiveVerdict: Hashable, Sendable {
  /// The sides differ; below the policy's floor it is reported and fails nothing.
  case changed(estimate: Double, interval: ChangeInterval, isBelowFloor: Bool)
  /// A change of `wouldHaveSeen` or more, in either direction, is excluded at the equivalence level.
  case unchanged(wouldHaveSeen: Double, interval: ChangeInterval)
  /// The blocks so far decide nothing.
  case cannotTell(Shortfall)

  /// Whether nothing is left to find out.
  package var isDecided: Bool {
    if case .cannotTell = self { false } else { true }
  }

  /// Whether the case got slower by the floor or more: what fails a comparison.
  package var isRegression: Bool {
    if case .changed(let estimate, _, false) = self { estimate > 0 } else { false }
  }
}

/// What an undecided case lacks.
package struct Shortfall: Hashable, Sendable {
  /// About as many more blocks as a verdict needs; `nil` before there is anything to estimate from.
  package var blocks: Int?
  /// The time for them, at the mean time of the case's blocks so far.
  package var seconds: Double?
  /// The robust standard deviation of the block's log ratio; `nil` with fewer than two blocks.
  package var scale: Double?

  /// Whether a verdict is not to be had on this machine: it needs a multiple of the whole budget.
  package func isOutOfReach(budget seconds: Double, policy: LivePolicy) -> Bool {
    (self.seconds ?? 0) > policy.outOfReach * seconds
  }
}

/// How many blocks a verdict takes, by simulation of the symmetry process on normal log ratios.
///
/// In units of the standard deviation s of a block's log ratio, at an e-value of 4,000; other
/// thresholds scale by their logarithm. SequentialPowerTests repeats the simulation.
package struct BlockForecast {
  /// The log ratio's scale, and the e-value that rejects.
  package var scale: Double
  package var logThreshold: Double

  package init(scale: Double, logThreshold: Double) {
    (self.scale, self.logThreshold) = (scale, logThreshold)
  }

  private static let simulatedLogThreshold = log(4_000.0)
  private static let changed = (constant: 14.0, factor: 5.2)
  private static let unchangedFactor = 4.0

  private var severity: Double { logThreshold / Self.simulatedLogThreshold }

  /// The blocks to 'changed' in about 80 %; infinite for no change.
  package func blocksToChanged(by logRatio: Double) -> Double {
    let needed = Self.changed.constant + pow(Self.changed.factor * scale / abs(logRatio), 2)
    return needed * severity
  }

  /// The blocks to 'unchanged' in about 80 %; infinite for a change at the margin or beyond.
  package func blocksToUnchanged(by logRatio: Double, margin: Double) -> Double {
    guard abs(logRatio) < margin else { return .infinity }
    return pow(Self.unchangedFactor * scale / (margin - abs(logRatio)), 2)
  }
}
