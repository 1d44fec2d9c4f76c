/// Positive numbers whose logarithm is normal: many small ones, few very large ones.
struct LogNormalDistribution: Distribution {
  let median: Double
  /// The standard deviation of the logarithm; 1 makes one in six larger than 2.7 medians.
  let sigma: Double

  func value(row: Int, draws: inout Draws) -> Double {
    median * PortableMath.exponential(sigma * NormalDistribution.quantile(draws.openUnit()))
  }
}
