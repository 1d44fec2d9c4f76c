/// A prediction with the interval that holds nine of ten outcomes.
package struct Interval: Hashable, Sendable {
  package let value: Double
  package let low: Double
  package let high: Double

  package init(value: Double, low: Double, high: Double) {
    self.value = value
    self.low = low
    self.high = high
  }

  /// Half its width, as a share of the prediction.
  package var halfWidth: Double { value > 0 ? (high - low) / 2 / value : 0 }

  package func contains(_ outcome: Double) -> Bool { (low...high).contains(outcome) }

  /// The interval with every bound multiplied.
  func scaled(by factor: Double) -> Interval {
    Interval(value: value * factor, low: low * factor, high: high * factor)
  }

  /// The interval with the same amount added to every bound.
  func raised(by amount: Double) -> Interval {
    Interval(value: value + amount, low: low + amount, high: high + amount)
  }
}
