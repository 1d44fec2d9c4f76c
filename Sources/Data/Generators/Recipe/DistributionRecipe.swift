import Profiling

/// A distribution as a recipe describes it.
package struct DistributionRecipe: Hashable, Sendable {
  /// The family of the distribution and its parameters.
  package enum Shape: Hashable, Sendable {
    case constant(Double)
    /// All numbers from `low` to `high`; whole ones include both ends.
    case uniform(low: Double, high: Double, isWhole: Bool)
    case normal(mean: Double, deviation: Double)
    case logNormal(median: Double, sigma: Double)
    case exponential(mean: Double)
    case poisson(mean: Double)
    /// Ranks from 1 to `count`.
    case zipfian(exponent: Double, count: Int)
    case weighted(values: [Double], weights: [Double])
    case sequence(start: Double, step: Double)
    /// Whole numbers of a profile's bins.
    case binned([Bin])
  }

  package var shape: Shape
  /// What smaller numbers are raised to.
  package var minimum: Double?
  /// What larger numbers are lowered to.
  package var maximum: Double?

  package init(_ shape: Shape, minimum: Double? = nil, maximum: Double? = nil) {
    self.shape = shape
    self.minimum = minimum
    self.maximum = maximum
  }

  /// The distribution itself.
  func distribution() -> any Distribution {
    guard minimum != nil || maximum != nil else { return unbounded() }
    return BoundedDistribution(base: unbounded(), minimum: minimum, maximum: maximum)
  }

  private func unbounded() -> any Distribution {
    switch shape {
    case .constant(let value): ConstantDistribution(constant: value)
    case .uniform(let low, let high, let isWhole):
      UniformDistribution(low: low, high: high, isWhole: isWhole)
    case .normal(let mean, let deviation): NormalDistribution(mean: mean, deviation: deviation)
    case .logNormal(let median, let sigma): LogNormalDistribution(median: median, sigma: sigma)
    case .exponential(let mean): ExponentialDistribution(mean: mean)
    case .poisson(let mean): PoissonDistribution(mean: mean)
    case .zipfian(let exponent, let count): ZipfianDistribution(exponent: exponent, count: count)
    case .weighted(let values, let weights):
      WeightedNumbers(values: values, choice: WeightedChoice(weights: weights))
    case .sequence(let start, let step): SequenceDistribution(start: start, step: step)
    case .binned(let bins): BinnedDistribution(bins)
    }
  }
}
