/// Doubles as words in the same order; none of them is 0.
enum NumberOrder {
  @inline(__always)
  static func bits(of value: Double) -> UInt64 {
    // Adding zero makes -0.0 equal to 0.0.
    let bits = (value + 0).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
  }

  @inline(__always)
  static func value(of word: UInt64) -> Double {
    Double(bitPattern: word >> 63 == 1 ? word & ~(1 << 63) : ~word)
  }
}
