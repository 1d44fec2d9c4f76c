import Foundation

/// How far the machine has drifted while the ladder was measured, seen at its anchor.
package struct Drift: Hashable, Sendable {
  /// A drift beyond this widens the intervals.
  package static let tolerated = 0.05
  /// A drift beyond this leaves nothing to be said.
  package static let bearable = 0.75

  /// The relative change from the first to the last run, by the anchor's middle slope.
  package let share: Double
  /// How often the anchor was run.
  package let count: Int

  /// Reads the drift off the anchor's times, in the order in which they were taken.
  package init(anchors: [Double]) {
    count = anchors.count
    guard anchors.count > 2 else {
      share = 0
      return
    }
    let logs = anchors.map { log($0) }
    // Theil and Sen's slope: one run that something else disturbed does not make a drift.
    var slopes: [Double] = []
    for early in logs.indices {
      for late in logs.indices where late > early {
        slopes.append((logs[late] - logs[early]) / Double(late - early))
      }
    }
    let isLuck = Self.isLuck(rising: slopes.count { $0 > 0 }, of: slopes.count, anchors: count)
    share = isLuck ? 0 : exp(abs(slopes.median ?? 0) * Double(logs.count - 1)) - 1
  }

  /// Whether so many rising pairs come from an order without meaning in more than one of ten times:
  /// Kendall's test (1938), by its normal approximation.
  private static func isLuck(rising: Int, of pairs: Int, anchors: Int) -> Bool {
    let count = Double(anchors)
    let excess = abs(Double(2 * rising - pairs))
    let deviation = (count * (count - 1) * (2 * count + 5) / 18).squareRoot()
    return excess < 1.645 * deviation
  }

  package var isTolerable: Bool { share <= Self.tolerated }
}
