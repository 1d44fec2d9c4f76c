/// Numbers of a range, each as likely as the others: reals of `[low, high)`, or whole numbers of
/// `low...high`.
struct UniformDistribution: Distribution {
  let low: Double
  let high: Double
  let isWhole: Bool

  func value(row: Int, draws: inout Draws) -> Double {
    guard isWhole else { return low + (high - low) * draws.unit() }
    return low + Double(draws.below(Int(high - low) + 1))
  }
}
