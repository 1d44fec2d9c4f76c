import Measurement

/// Welch's t-test of unequal variances (1947), two-sided at 0.05.
enum WelchTest: Rule {
  static let shortName = "Welch 0.05"

  static func claim(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Claim {
    guard let probability = probability(base: base, head: head), probability < 0.05 else {
      return .none
    }
    return Moments(head).mean > Moments(base).mean ? .slower : .faster
  }

  /// The two-sided p-value; `nil` where a side has fewer than two values or nothing varies.
  static func probability(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Double? {
    let (left, right) = (Moments(base), Moments(head))
    guard left.count > 1, right.count > 1 else { return nil }
    let (a, b) = (left.variance / left.count, right.variance / right.count)
    guard a + b > 0 else { return nil }
    let squared = (right.mean - left.mean) * (right.mean - left.mean) / (a + b)
    let freedom = (a + b) * (a + b) / (a * a / (left.count - 1) + b * b / (right.count - 1))
    return IncompleteBeta.value(freedom / (freedom + squared), freedom / 2, 0.5)
  }
}
