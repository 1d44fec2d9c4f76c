import Foundation

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
    equivalence = EquivalenceProcess(
      margin: log1p(policy.margin),
      level: policy.equivalenceLevel
    )
  }

  /// Takes a block in; one whose log ratio is no finite number is none.
  package mutating func add(_ logRatio: Double) {
    guard logRatio.isFinite else { return }
    logRatios.append(logRatio)
    process.add(logRatio)
    equivalence.add(logRatio)
  }

  /// The logarithm of the e-value against 'no change' now.
  package var logEValue: Double { process.logEValue }
  /// Its largest value at any block: the logarithm of an inverse p-value.
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
    guard let scale else {
      return Shortfall(blocks: nil, seconds: nil, scale: nil, detectable: nil)
    }
    let forecast = BlockForecast(scale: scale, logThreshold: logThreshold)
    let blocks = remainingBlocks(forecast)
    return Shortfall(
      blocks: blocks,
      seconds: secondsPerBlock.map { $0 * Double(blocks) },
      scale: scale,
      detectable: forecast.detectable(with: logRatios.count).map(expm1)
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
