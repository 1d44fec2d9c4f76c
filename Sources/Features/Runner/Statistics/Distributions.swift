import Basics

/// Student's t distribution.
package struct StudentT: Sendable {
  package let degrees: Double

  package init(degrees: Double) {
    self.degrees = degrees
  }

  /// The probability of a value above t, for t ≥ 0: half the regularised incomplete beta function
  /// I(ν/2, 1/2) at ν/(ν + t²) (Abramowitz and Stegun, 26.7.1).
  package func upperTail(_ t: Double) -> Double {
    IncompleteBeta.value(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
  }

  /// The value that a share of the distribution, at most a half, lies above.
  package func upperQuantile(_ share: Double) -> Double {
    guard share > 0, share < 0.5 else { return share <= 0 ? .infinity : 0 }
    var (low, high) = (0.0, 1.0)
    while upperTail(high) > share, high < 1e300 { high *= 2 }
    // Until there is no number between them.
    while true {
      let middle = low + (high - low) / 2
      guard middle > low, middle < high else { return high }
      if upperTail(middle) > share { low = middle } else { high = middle }
    }
  }

  /// How many standard deviations a 90 % interval reaches to either side, to three decimals; that
  /// of the normal distribution above 30 degrees of freedom.
  package static func quantile90(freedom: Double) -> Double {
    let index = Int(max(1, freedom.rounded(.down))) - 1
    return index < quantiles95.count ? quantiles95[index] : 1.645
  }

  private static let quantiles95 = (1...30).map {
    (StudentT(degrees: Double($0)).upperQuantile(0.05) * 1000).rounded() / 1000
  }
}

/// The regularised incomplete beta function, of which Student's t is made.
package enum IncompleteBeta {
  private static let tiny = 1e-300

  /// I_x(a, b): 0 below 0 and 1 above 1.
  package static func value(_ x: Double, _ a: Double, _ b: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    let factor = exp(
      lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)
    )
    // The fraction converges quickly on one side of the mean only; the other is its complement.
    return x < (a + 1) / (a + b + 2)
      ? factor * fraction(x, a, b) / a : 1 - factor * fraction(1 - x, b, a) / b
  }

  /// The continued fraction of Abramowitz and Stegun, 26.5.8, from its beginning (Lentz).
  private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    var c = 1.0
    var d = 1 / notZero(1 - (a + b) * x / (a + 1))
    var result = d
    for index in 1...500 {
      let m = Double(index)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 / notZero(1 + even * d)
      c = notZero(1 + even / c)
      result *= d * c
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / notZero(1 + odd * d)
      c = notZero(1 + odd / c)
      result *= d * c
      if abs(d * c - 1) < 1e-15 { break }
    }
    return result
  }

  private static func notZero(_ value: Double) -> Double { abs(value) < tiny ? tiny : value }
}

/// The rates that a count of hits among tries does not exclude, exact at every number of tries
/// (Clopper and Pearson, Biometrika 26, 1934).
package struct RateInterval: Hashable, Sendable {
  package let lower: Double
  package let upper: Double

  /// Half of the level lies beyond each end; with no hits, or nothing but hits, one end is certain.
  package init(hits: Int, of tries: Int, level: Double = 0.05) {
    let tail = level / 2
    lower =
      hits <= 0 ? 0 : Self.rate { Self.atLeast(hits, of: tries, rate: $0) < tail }
    upper =
      hits >= tries ? 1 : Self.rate { 1 - Self.atLeast(hits + 1, of: tries, rate: $0) >= tail }
  }

  /// The largest rate for which something holds that holds for small rates only.
  private static func rate(_ holds: (Double) -> Bool) -> Double {
    var (low, high) = (0.0, 1.0)
    // Below the last bit of a rate that anybody prints.
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if holds(middle) { low = middle } else { high = middle }
    }
    return low
  }

  /// The probability of so many hits or more.
  private static func atLeast(_ hits: Int, of tries: Int, rate: Double) -> Double {
    guard rate > 0 else { return hits <= 0 ? 1 : 0 }
    guard rate < 1 else { return 1 }
    var logTerm = Double(tries) * log1p(-rate)
    var sum = hits <= 0 ? exp(logTerm) : 0
    for count in 0..<tries {
      logTerm += log(Double(tries - count) / Double(count + 1)) + log(rate) - log1p(-rate)
      if count + 1 >= hits { sum += exp(logTerm) }
    }
    return min(1, sum)
  }
}
