protocol Distribution: Sendable {
  /// The number for a row; distributions of whole numbers return no fractions.
  func value(row: Int, draws: inout Draws) -> Double
}

extension Distribution {
  func weights(count: Int, key: StreamKey) -> [Double] {
    let key = key.derived("weight")
    return (0..<count).map { row in
      var draws = key.draws(row: row)
      return value(row: row, draws: &draws)
    }
  }
}

struct ConstantDistribution: Distribution {
  let constant: Double

  func value(row: Int, draws: inout Draws) -> Double { constant }
}

/// Uniformly distributed numbers: floating-point numbers in `[low, high)`, or whole numbers in
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

/// Waiting times between events that happen independently at a constant rate.
struct ExponentialDistribution: Distribution {
  let mean: Double

  func value(row: Int, draws: inout Draws) -> Double {
    -mean * PortableMath.logarithm(draws.openUnit())
  }
}

/// Positive numbers whose logarithm is normally distributed: many small numbers, few very large
/// ones.
struct LogNormalDistribution: Distribution {
  let median: Double
  /// The standard deviation of the logarithm; for 1, one in six numbers is more than 2.7 times the
  /// median.
  let sigma: Double

  func value(row: Int, draws: inout Draws) -> Double {
    median * PortableMath.exponential(sigma * NormalDistribution.quantile(draws.openUnit()))
  }
}

/// Numbers that rise by a fixed step from row to row.
struct SequenceDistribution: Distribution {
  let start: Double
  let step: Double

  func value(row: Int, draws: inout Draws) -> Double { start + step * Double(row) }
}

/// A weighted choice of an index in constant time, by Vose's alias method.
struct WeightedChoice: Distribution {
  private let thresholds: [Double]
  private let aliases: [Int]

  /// Creates a choice among the indexes of weights.
  ///
  /// Negative weights count as 0. If all weights are 0, all indexes are equally likely.
  init(weights: [Double]) {
    let positive = weights.map { max($0, 0) }
    let sum = positive.reduce(0, +)
    let count = weights.count
    var scaled = positive.map { sum > 0 ? $0 / sum * Double(count) : 1 }
    var small = scaled.indices.filter { scaled[$0] < 1 }
    var large = scaled.indices.filter { scaled[$0] >= 1 }
    var thresholds = [Double](repeating: 1, count: count)
    var aliases = Array(0..<count)
    while let less = small.last, let more = large.last {
      small.removeLast()
      thresholds[less] = scaled[less]
      aliases[less] = more
      scaled[more] -= 1 - scaled[less]
      if scaled[more] < 1 {
        large.removeLast()
        small.append(more)
      }
    }
    self.thresholds = thresholds
    self.aliases = aliases
  }

  @inline(__always)
  func choice(_ draws: inout Draws) -> Int {
    let index = draws.below(thresholds.count)
    return draws.unit() < thresholds[index] ? index : aliases[index]
  }

  func value(row: Int, draws: inout Draws) -> Double { Double(choice(&draws)) }
}

/// Counts of independent events with a given mean, exact for any mean.
struct PoissonDistribution: Distribution {
  let mean: Double
  // e to the power of −mean, for means below 10: the method multiplies uniform numbers until the
  // product is at most this limit.
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

  // The method is PTRS of Hörmann, "The transformed rejection method for generating Poisson random
  // variables" (1993).
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

/// Ranks `1...count`, where rank k has a probability proportional to k to the power of −exponent: a
/// few popular ranks and a long tail.
///
/// The numbers are exact for any exponent above 0 and any count up to 10⁹, without a table. The
/// method is rejection-inversion, with about 1.1 tries per draw (Hörmann and Derflinger,
/// "Rejection-inversion to generate variates from monotone discrete distributions", 1996).
struct ZipfianDistribution: Distribution {
  let exponent: Double
  let count: Int
  private let areaToFirst: Double
  private let areaToLast: Double
  private let shortcut: Double

  init(exponent: Double, count: Int) {
    self.exponent = exponent
    self.count = max(count, 1)
    areaToFirst = Self.area(1.5, exponent) - 1
    areaToLast = Self.area(Double(self.count) + 0.5, exponent)
    let second = Self.area(2.5, exponent) - Self.weight(2, exponent)
    shortcut = 2 - Self.inverseArea(second, exponent)
  }

  func value(row: Int, draws: inout Draws) -> Double {
    guard count > 1 else { return 1 }
    while true {
      let u = areaToLast + draws.unit() * (areaToFirst - areaToLast)
      let x = Self.inverseArea(u, exponent)
      let rank = min(max((x + 0.5).rounded(.down), 1), Double(count))
      if rank - x <= shortcut { return rank }
      if u >= Self.area(rank + 0.5, exponent) - Self.weight(rank, exponent) { return rank }
    }
  }

  static func weight(_ rank: Double, _ exponent: Double) -> Double {
    PortableMath.exponential(-exponent * PortableMath.logarithm(rank))
  }

  // The integral of x to the power of −exponent, in a form that needs no special case for an
  // exponent of 1.
  private static func area(_ x: Double, _ exponent: Double) -> Double {
    let logarithm = PortableMath.logarithm(x)
    let t = (1 - exponent) * logarithm
    let ratio = abs(t) > 1e-8 ? PortableMath.exponentialMinusOne(t) / t : 1 + t / 2 * (1 + t / 3)
    return ratio * logarithm
  }

  private static func inverseArea(_ area: Double, _ exponent: Double) -> Double {
    // Rounding errors may move the logarithm's argument below −1, outside its domain.
    let t = max(area * (1 - exponent), -1)
    let ratio =
      abs(t) > 1e-8 ? PortableMath.logarithmPlusOne(t) / t : 1 - t * (0.5 - t / 3)
    return PortableMath.exponential(ratio * area)
  }
}
