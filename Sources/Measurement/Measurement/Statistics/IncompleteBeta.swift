import Basics

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
