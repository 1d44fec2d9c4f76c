import Foundation
import Runner

/// A large, lasting step in times, found after five commits, long before it can be distinguished
/// from a change in the machine's state.
///
/// It has no error rate and raises no alarm; a live comparison of the commits before and after the
/// step decides.
package struct SuspectedStep: Hashable, Sendable {
  /// The minimum ratio of the medians, up or down.
  ///
  /// The aim is to find steps of 50 % and more, but medians of five values vary.
  package static let leastRatio = 1.3
  /// The minimum number of values on each side.
  package static let lasting = 5
  /// The maximum number of values considered on each side, because older values may belong to other
  /// steps.
  package static let window = 15
  /// The minimum number of values per outlier; an outlier is a value on the wrong side of the
  /// midpoint between the medians.
  package static let outlierShare = 5

  /// The first index after the step.
  package var place: Int
  /// The median after the step divided by the median before it.
  package var ratio: Double

  /// Finds the step that best separates the values before and after it; returns `nil` if no step is
  /// large enough and lasts.
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
