import Basics

/// Formats a time with its interval, such as `932 ms (585 ms to 1.49 s)`, rounded as in sentences.
package enum RangeText {
  package static func seconds(_ value: Double, _ low: Double, _ high: Double) -> String {
    "\(Figures.seconds(value)) (\(Figures.seconds(low)) to \(Figures.seconds(high)))"
  }
}
