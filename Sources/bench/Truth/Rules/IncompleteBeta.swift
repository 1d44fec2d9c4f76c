import Foundation

/// The regularised incomplete beta function, of which Student's t is made.
enum IncompleteBeta {
  private static let iterations = 300
  private static let tiny = 1e-300

  /// I_x(a, b), by the continued fraction of DLMF 8.17.22 and Lentz's method.
  static func value(_ x: Double, _ a: Double, _ b: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    // The fraction converges fast on this side; the other is its complement.
    if x > (a + 1) / (a + b + 2) { return 1 - value(1 - x, b, a) }
    let front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)
    return exp(front) / (a * fraction(x, a, b))
  }

  // 1 + d1/(1 + d2/(1 + ...)), from the front.
  private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    var (result, numerator, denominator) = (1.0, 1.0, 0.0)
    for index in 1...iterations {
      let term = coefficient(index, x, a, b)
      denominator = 1 / notZero(1 + term * denominator)
      numerator = notZero(1 + term / numerator)
      let factor = numerator * denominator
      result *= factor
      if abs(factor - 1) < 1e-15 { break }
    }
    return result
  }

  private static func coefficient(_ index: Int, _ x: Double, _ a: Double, _ b: Double) -> Double {
    let m = Double(index / 2)
    return index.isMultiple(of: 2)
      ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
  }

  private static func notZero(_ value: Double) -> Double { abs(value) < tiny ? tiny : value }
}
