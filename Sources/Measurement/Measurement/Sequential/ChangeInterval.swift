import Foundation

/// A range of changes, each as head over base less 1: 0.02 is 2 % slower.
package struct ChangeInterval: Hashable, Sendable {
  /// -1 where the blocks exclude no change downwards.
  package var lower: Double
  /// Infinite where they exclude none upwards.
  package var upper: Double

  package init(lower: Double, upper: Double) {
    self.lower = lower
    self.upper = upper
  }

  init(_ sequence: ConfidenceSequence) {
    lower = expm1(sequence.lower)
    upper = expm1(sequence.upper)
  }
}
