/// Counts of independent events with a given mean, exact for any mean.
struct PoissonDistribution: Distribution {
  let mean: Double
  // Multiplying uniform numbers is the fastest below 10, and needs about `mean` draws.
  private let limit: Double
  private let scale: Double
  private let shift: Double
  private let squeeze: Double
  private let inverseAlpha: Double
  private let logarithmOfMean: Double

  init(mean: Double) {
    self.mean = mean
    limit = PortableMath.exponential(-mean)
    logarithmOfMean = mean > 0 ? PortableMath.logarithm(mean) : 0
    scale = 0.931 + 2.53 * mean.squareRoot()
    shift = -0.059 + 0.02483 * scale
    inverseAlpha = 1.1239 + 1.1328 / (scale - 3.4)
    squeeze = 0.9277 - 3.6224 / (scale - 2)
  }

  func value(row: Int, draws: inout Draws) -> Double {
    mean < 10 ? byMultiplication(&draws) : byTransformedRejection(&draws)
  }

  private func byMultiplication(_ draws: inout Draws) -> Double {
    var count = 0.0
    var product = draws.openUnit()
    while product > limit {
      count += 1
      product *= draws.openUnit()
    }
    return count
  }

  // Hörmann, "The transformed rejection method for generating Poisson random variables" (1993), PTRS.
  private func byTransformedRejection(_ draws: inout Draws) -> Double {
    while true {
      let u = draws.openUnit() - 0.5
      let v = draws.openUnit()
      let us = 0.5 - abs(u)
      let count = ((2 * shift / us + scale) * u + mean + 0.43).rounded(.down)
      if us >= 0.07, v <= squeeze { return count }
      if count < 0 || (us < 0.013 && v > us) { continue }
      let density = count * logarithmOfMean - mean - PortableMath.logarithmOfFactorial(count)
      let hat = PortableMath.logarithm(v * inverseAlpha / (shift / (us * us) + scale))
      if hat <= density { return count }
    }
  }
}
