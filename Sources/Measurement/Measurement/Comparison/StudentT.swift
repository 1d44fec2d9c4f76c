/// Student's t distribution.
struct StudentT {
  let degrees: Double

  /// The probability of a value above t, for t ≥ 0: half the regularised incomplete beta function
  /// I(ν/2, 1/2) at ν/(ν + t²) (Abramowitz and Stegun, 26.7.1).
  func upperTail(_ t: Double) -> Double {
    IncompleteBeta.value(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
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
}
