/// Waiting times between events that happen independently at a constant rate.
struct ExponentialDistribution: Distribution {
  let mean: Double

  func value(row: Int, draws: inout Draws) -> Double {
    -mean * PortableMath.logarithm(draws.openUnit())
  }
}
