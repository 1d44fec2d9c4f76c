/// Ranks `1...count` in which rank k is as likely as k to the power of −exponent: few favourites, a
/// long tail.
///
/// Exact for any exponent above 0 and any count up to 10⁹ without a table: rejection-inversion
/// (Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone discrete
/// distributions", 1996), about 1.1 tries a draw.
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

  /// The weight of a rank, k to the power of −exponent.
  static func weight(_ rank: Double, _ exponent: Double) -> Double {
    PortableMath.exponential(-exponent * PortableMath.logarithm(rank))
  }

  // The integral of x to the power of −exponent, written so that exponent 1 needs no case of its own.
  private static func area(_ x: Double, _ exponent: Double) -> Double {
    let logarithm = PortableMath.logarithm(x)
    let t = (1 - exponent) * logarithm
    let ratio = abs(t) > 1e-8 ? PortableMath.exponentialMinusOne(t) / t : 1 + t / 2 * (1 + t / 3)
    return ratio * logarithm
  }

  private static func inverseArea(_ area: Double, _ exponent: Double) -> Double {
    // Rounding may carry the argument below −1, where the logarithm ends.
    let t = max(area * (1 - exponent), -1)
    let ratio =
      abs(t) > 1e-8 ? PortableMath.logarithmPlusOne(t) / t : 1 - t * (0.5 - t / 3)
    return PortableMath.exponential(ratio * area)
  }
}
