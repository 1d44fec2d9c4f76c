import Basics

/// A sequence of random draws with a fixed start: SplitMix64.
package struct Draws: RandomNumberGenerator, Sendable {
  private var numbers: SplitMix64

  /// The sequence that SplitMix64 gives for that seed.
  package init(state: UInt64) {
    numbers = SplitMix64(state: state)
  }

  /// The next 64 random bits.
  @inline(__always)
  package mutating func next() -> UInt64 {
    numbers.next()
  }

  /// A number in `[0, 1)`, one of 2⁵³ equally likely ones.
  @inline(__always)
  package mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// A number in `(0, 1)`, never an end, so that its logarithm and quantiles are finite.
  @inline(__always)
  package mutating func openUnit() -> Double {
    (Double(next() >> 12) + 0.5) * 0x1p-52
  }

  /// A number in `0..<bound`, each exactly as likely as the others; 0 for a bound of 0 or 1.
  @inline(__always)
  package mutating func below(_ bound: Int) -> Int {
    guard bound > 1 else { return 0 }
    let range = UInt64(bound)
    var product = next().multipliedFullWidth(by: range)
    // Lemire, "Fast random integer generation in an interval" (2019): the few low products that
    // would make some numbers likelier are drawn again.
    if product.low < range {
      let threshold = (0 &- range) % range
      while product.low < threshold {
        product = next().multipliedFullWidth(by: range)
      }
    }
    return Int(product.high)
  }

  /// Whether an event of that probability happens.
  @inline(__always)
  package mutating func happens(_ probability: Double) -> Bool {
    unit() < probability
  }
}
