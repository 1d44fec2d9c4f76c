/// An integer or a double, in the order of their values, which neither type can hold alone.
struct ExactNumber: Comparable {
  /// The nearest double, as a word in the same order.
  let word: UInt64
  /// What the value is more than that double.
  let residue: Int16

  init(type: UInt64, _ bytes: UnsafeRawPointer) {
    if type == UInt64(SerialType.real) {
      self.init(word: NumberOrder.bits(of: SerialType.real(at: bytes)), residue: 0)
    } else {
      self.init(SerialType.integer(type, at: bytes))
    }
  }

  init(_ value: Int64) {
    let nearest = Double(value)
    // 2^63, the nearest double of the largest integers, wraps to the least one, and so does the
    // difference.
    let integer = nearest < 0x1p63 ? Int64(nearest) : Int64.min
    self.init(
      word: NumberOrder.bits(of: nearest),
      residue: Int16(truncatingIfNeeded: value &- integer)
    )
  }

  private init(word: UInt64, residue: Int16) {
    self.word = word
    self.residue = residue
  }

  static func < (left: Self, right: Self) -> Bool {
    left.word != right.word ? left.word < right.word : left.residue < right.residue
  }
}
