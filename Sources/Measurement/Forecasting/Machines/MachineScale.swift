/// How another machine differs from the one that the ladder was measured on.
package struct MachineScale: Hashable, Sendable {
  /// The machine's name, such as a device or a profile.
  package let name: String
  /// By what a time is multiplied.
  package let factor: Double
  /// Seconds that each sync takes longer, after the factor.
  package let secondsPerSync: Double
  /// The variance of the factor's logarithm, and of what the two machines do differently.
  package let variance: Double
  /// Degrees of freedom of the variance.
  package let freedom: Double

  package init(
    name: String,
    factor: Double,
    secondsPerSync: Double = 0,
    variance: Double,
    freedom: Double
  ) {
    self.name = name
    self.factor = factor
    self.secondsPerSync = secondsPerSync
    self.variance = variance
    self.freedom = freedom
  }

  func time(_ seconds: Double, syncs: Double) -> Double {
    max(seconds * factor + syncs * secondsPerSync, seconds * factor * 0.1)
  }
}
