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
