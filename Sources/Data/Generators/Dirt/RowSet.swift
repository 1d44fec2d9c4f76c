/// Some of an entity's rows: a bit a row, so that asking costs the other rows next to nothing.
struct RowSet: Sendable {
  private let words: [UInt64]
  /// How many rows of the set lie below each word.
  private let before: [UInt32]

  /// The set of ascending rows, all below `count`.
  init(ascending rows: some Sequence<Int>, count: Int) {
    var words = [UInt64](repeating: 0, count: count / 64 + 1)
    for row in rows { words[row / 64] |= 1 << UInt64(row % 64) }
    var sum: UInt32 = 0
    before = words.map { word in
      defer { sum += UInt32(word.nonzeroBitCount) }
      return sum
    }
    self.words = words
  }

  @inline(__always)
  func contains(_ row: Int) -> Bool {
    words[row / 64] >> UInt64(row % 64) & 1 == 1
  }

  /// The how-manieth row of the set a row is, from 0; `nil` where it is none.
  @inline(__always)
  func rank(of row: Int) -> Int? {
    let (word, bit) = (words[row / 64], UInt64(row % 64))
    guard word >> bit & 1 == 1 else { return nil }
    return Int(before[row / 64]) + (word & ((1 << bit) - 1)).nonzeroBitCount
  }
}
