/// Exponentials and logarithms with bit-identical results on all machines.
///
/// The C library's `exp`, `log` and `pow` differ in the last bit between systems, which is enough
/// to change how a value is rounded. These functions use only +, −, ×, ÷ and bit patterns, which
/// IEEE 754 defines exactly. Their relative error is about 1e-15.
enum PortableMath {
  // ln 2 in two parts: the high part has 21 trailing zero bits, so that k · high is exact.
  private static let ln2High = 0x1.62e42feep-1
  private static let ln2Low = 0x1.a39ef35793c76p-33
  private static let inverseLn2 = 0x1.71547652b82fep0

  /// e to the power of `x`; infinity for `x` ≥ 709.79, and 0 for `x` ≤ −745.2.
  static func exponential(_ x: Double) -> Double {
    guard x < 709.79 else { return x.isNaN ? x : .infinity }
    guard x > -745.2 else { return 0 }
    let k = (x * inverseLn2).rounded()
    let r = (x - k * ln2High) - k * ln2Low
    // The Taylor series; |r| < 0.3466, so the term after r¹⁴ is below 1e-19.
    var sum = r / 87_178_291_200 + 1.0 / 6_227_020_800
    sum = sum * r + 1.0 / 479_001_600
    sum = sum * r + 1.0 / 39_916_800
    sum = sum * r + 1.0 / 3_628_800
    sum = sum * r + 1.0 / 362_880
    sum = sum * r + 1.0 / 40_320
    sum = sum * r + 1.0 / 5_040
    sum = sum * r + 1.0 / 720
    sum = sum * r + 1.0 / 120
    sum = sum * r + 1.0 / 24
    sum = sum * r + 1.0 / 6
    sum = sum * r + 1.0 / 2
    sum = (sum * r + 1) * r + 1
    return scaled(sum, byPowerOfTwo: Int(k))
  }

  /// The natural logarithm; −infinity for 0, NaN for negative numbers.
  static func logarithm(_ x: Double) -> Double {
    guard x > 0, x < .infinity else { return x == 0 ? -.infinity : (x > 0 ? x : .nan) }
    var exponent = Double(x.exponent)
    var significand = x.significand
    if significand > 1.414_213_562_373_095_1 {
      significand /= 2
      exponent += 1
    }
    // ln m = 2 artanh s with s = (m − 1) / (m + 1), |s| < 0.1716.
    let s = (significand - 1) / (significand + 1)
    let square = s * s
    var sum = square / 23 + 1.0 / 21
    sum = sum * square + 1.0 / 19
    sum = sum * square + 1.0 / 17
    sum = sum * square + 1.0 / 15
    sum = sum * square + 1.0 / 13
    sum = sum * square + 1.0 / 11
    sum = sum * square + 1.0 / 9
    sum = sum * square + 1.0 / 7
    sum = sum * square + 1.0 / 5
    sum = sum * square + 1.0 / 3
    let fraction = 2 * s + 2 * s * square * sum
    return exponent * ln2High + (fraction + exponent * ln2Low)
  }

  /// ln(1 + x), accurate for small `x`.
  static func logarithmPlusOne(_ x: Double) -> Double {
    // Kahan: the rounding error of 1 + x cancels in the quotient.
    let sum = 1 + x
    return sum == 1 ? x : logarithm(sum) * (x / (sum - 1))
  }

  /// eˣ − 1, accurate for small `x`.
  static func exponentialMinusOne(_ x: Double) -> Double {
    let power = exponential(x)
    guard power != 1 else { return x }
    let difference = power - 1
    guard difference != -1, power < .infinity else { return difference }
    return difference * (x / logarithm(power))
  }

  /// ln(n!) for an integer `n` ≥ 0.
  static func logarithmOfFactorial(_ n: Double) -> Double {
    guard n >= 16 else {
      var product = 1.0
      for factor in stride(from: 2, through: n, by: 1) { product *= factor }
      return logarithm(product)
    }
    // Stirling's series; from n = 16 on, the next term is below 1e-15 of the result.
    let inverse = 1 / n
    let square = inverse * inverse
    let series =
      inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)))
    return (n + 0.5) * logarithm(n) - n + 0.918_938_533_204_672_8 + series
  }

  private static func scaled(_ x: Double, byPowerOfTwo k: Int) -> Double {
    // Multiply in two steps at the ends of the range, because the power of two alone may not be a
    // normal floating-point number.
    if k < -1_021 { return x * Double(sign: .plus, exponent: k + 64, significand: 1) * 0x1p-64 }
    if k > 1_023 { return x * 2 * Double(sign: .plus, exponent: k - 1, significand: 1) }
    return x * Double(sign: .plus, exponent: k, significand: 1)
  }
}

/// Normally distributed numbers.
struct NormalDistribution: Distribution {
  let mean: Double
  let deviation: Double

  func value(row: Int, draws: inout Draws) -> Double {
    mean + deviation * Self.quantile(draws.openUnit())
  }

  /// The standard normal quantile of `p`, with an error of about 1e-16.
  ///
  /// The method is PPND16 of Wichura, "Algorithm AS 241", Applied Statistics 37 (1988). The method
  /// needs one draw per number, and a square root and a logarithm only in the tails.
  static func quantile(_ p: Double) -> Double {
    let q = p - 0.5
    guard abs(q) > 0.425 else {
      let r = 0.180625 - q * q
      return q * horner(r, centralNumerator) / horner(r, centralDenominator)
    }
    var r = (-PortableMath.logarithm(q < 0 ? p : 1 - p)).squareRoot()
    let tail: Double
    if r <= 5 {
      r -= 1.6
      tail = horner(r, middleNumerator) / horner(r, middleDenominator)
    } else {
      r -= 5
      tail = horner(r, farNumerator) / horner(r, farDenominator)
    }
    return q < 0 ? -tail : tail
  }

  private typealias Coefficients = (Double, Double, Double, Double, Double, Double, Double, Double)

  @inline(__always)
  private static func horner(_ x: Double, _ c: Coefficients) -> Double {
    var sum = c.7 * x + c.6
    sum = sum * x + c.5
    sum = sum * x + c.4
    sum = sum * x + c.3
    sum = sum * x + c.2
    sum = sum * x + c.1
    return sum * x + c.0
  }

  private static let centralNumerator: Coefficients = (
    3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
    45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727
  )
  private static let centralDenominator: Coefficients = (
    1, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077,
    21213.794301586595867, 39307.89580009271061, 28729.085735721942674, 5226.495278852545925
  )
  private static let middleNumerator: Coefficients = (
    1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055,
    3.64784832476320460504, 1.27045825245236838258, 0.24178072517745061177,
    0.0227238449892691845833, 7.7454501427834140764e-4
  )
  private static let middleDenominator: Coefficients = (
    1, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455,
    0.14810397642748007459, 0.0151986665636164571966, 5.475938084995344946e-4,
    1.05075007164441684324e-9
  )
  private static let farNumerator: Coefficients = (
    6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358,
    0.29656057182850489123, 0.026532189526576123093, 0.0012426609473880784386,
    2.71155556874348757815e-5, 2.01033439929228813265e-7
  )
  private static let farDenominator: Coefficients = (
    1, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525,
    7.868691311456132591e-4, 1.8463183175100546818e-5, 1.4215117583164458887e-7,
    2.04426310338993978564e-15
  )
}
