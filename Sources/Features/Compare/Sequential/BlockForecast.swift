import Foundation

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
