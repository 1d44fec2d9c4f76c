import Foundation
import Runner

/// A large step of times that lasts: found after five commits, long before a change can be told from
/// the state of a machine.
///
/// It claims no error rate, and raises no alarm: a live comparison of both commits decides.
package struct SuspectedStep: Hashable, Sendable {
  /// The least ratio of the medians, up or down.
  ///
  /// Steps of a half and more are looked for; medians of five values scatter about them.
  package static let leastRatio = 1.3
  /// Values that must stand on each side.
  package static let lasting = 5
  /// Values on each side that count: older ones may be those of other steps.
  package static let window = 15
  /// Of so many values, one may lie on the other side of the middle: an outlier.
  package static let outlierShare = 5

  /// The first index after the step.
  package var place: Int
  /// The median after it, over that before.
  package var ratio: Double

  /// The step that divides its neighbors best; `nil` where none is large enough and lasts.
  package init?(in values: [Double]) {
    guard values.count >= 2 * Self.lasting, values.allSatisfy({ $0 > 0 }) else { return nil }
    var best: (strays: Double, size: Double, step: (Int, Double))?
    for place in Self.lasting...(values.count - Self.lasting) {
      let before = values[max(0, place - Self.window)..<place]
      let after = values[place..<min(values.count, place + Self.window)]
      let (old, new) = (
        RunningMedian(of: Array(before)).value, RunningMedian(of: Array(after)).value
      )
      let (ratio, middle) = (new / old, (old * new).squareRoot())
      let size = max(ratio, 1 / ratio)
      guard size >= Self.leastRatio else { continue }
      func isHigh(_ value: Double) -> Bool { value > middle }
      let strays =
        before.count { isHigh($0) != (old > new) } + after.count { isHigh($0) != (new > old) }
      let count = before.count + after.count
      guard strays * Self.outlierShare <= count else { continue }
      let share = Double(strays) / Double(count)
      if let found = best, (found.strays, -found.size) <= (share, -size) { continue }
      best = (share, size, (place, ratio))
    }
    guard let best else { return nil }
    (place, ratio) = best.step
  }
}
