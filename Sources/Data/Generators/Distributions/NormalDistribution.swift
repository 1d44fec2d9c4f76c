/// Numbers scattered around a mean in a bell curve.
struct NormalDistribution: Distribution {
  let mean: Double
  let deviation: Double

  func value(row: Int, draws: inout Draws) -> Double {
    mean + deviation * Self.quantile(draws.openUnit())
  }

  /// The standard normal number below which the share `p` of all numbers lies, to about 1e-16.
  ///
  /// Wichura, "Algorithm AS 241", Applied Statistics 37 (1988), PPND16: one draw a number and nothing
  /// but a square root and a logarithm in the tails.
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

  private typealias Coefficients = (
    Double, Double, Double, Double, Double, Double, Double, Double
  )

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
