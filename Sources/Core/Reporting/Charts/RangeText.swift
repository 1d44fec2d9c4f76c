import Basics

/// Formats a time with its interval, rounded as in sentences: `932 ms (585 ms to 1.49 s)`.
package enum RangeText {
  package static func seconds(_ value: Double, _ low: Double, _ high: Double) -> String {
    "\(Figures.seconds(value)) (\(Figures.seconds(low)) to \(Figures.seconds(high)))"
  }
}
