#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Student's t distribution.
struct StudentT {
  let degrees: Double

  /// The probability of a value above t, for t ≥ 0: half the regularised incomplete beta function
  /// I(ν/2, 1/2) at ν/(ν + t²) (Abramowitz and Stegun, 26.7.1).
  func upperTail(_ t: Double) -> Double {
    incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
  }

  /// The value that a share of the distribution, at most a half, lies above.
  func upperQuantile(_ share: Double) -> Double {
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

  private func incompleteBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
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
  private func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    let tiny = 1e-300
    func kept(_ value: Double) -> Double { abs(value) < tiny ? tiny : value }
    var c = 1.0
    var d = 1 / kept(1 - (a + b) * x / (a + 1))
    var result = d
    for index in 1...500 {
      let m = Double(index)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 / kept(1 + even * d)
      c = kept(1 + even / c)
      result *= d * c
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / kept(1 + odd * d)
      c = kept(1 + odd / c)
      result *= d * c
      if abs(d * c - 1) < 1e-15 { break }
    }
    return result
  }
}
