/// A column of an index, and how its values become words that are ordered as SQLite orders them.
struct KeyColumn: Sendable {
  /// Which values have a word of their own, from which they can be read back.
  enum Kind: Sendable {
    /// NULL and integers of 63 bits.
    case integer
    /// NULL and numbers that are exact as doubles, in columns that shorten them.
    case number
    /// None.
    case other
  }

  /// Integers from -2^62 to 2^62 - 1 become 1 to 2^63; NULL is 0.
  private static let bias: Int64 = 1 << 62

  /// The column's position in the table; `nil` for the rowid.
  let position: Int?
  let kind: Kind
  /// Whether reals are kept as such where an integer would need eight bytes.
  private let isReal: Bool
  /// All ones where the order is reversed.
  let mask: UInt64

  init(_ column: IndexPlan.Column, of table: TablePlan) {
    position = column.position == table.rowidColumn ? nil : column.position
    let affinity = table.columns[column.position]
    kind =
      switch affinity {
      case _ where position == nil: .integer
      case .integer: .integer
      case .numeric, .real: .number
      case .text, .blob: .other
      }
    isReal = affinity == .real
    mask = column.isDescending ? .max : 0
  }

  var null: UInt64 { mask }

  /// The word of a value; `nil` where it has none.
  @inline(__always)
  func word(type: UInt32, bits: UInt64) -> UInt64? {
    if type == SerialType.null { return mask }
    switch kind {
    case .integer:
      guard type != SerialType.real, type < 12 else { return nil }
      let value = Int64(bitPattern: bits)
      guard value >= -Self.bias, value < Self.bias else { return nil }
      return (UInt64(bitPattern: value &+ Self.bias) + 1) ^ mask
    case .number:
      if type == SerialType.real { return NumberOrder.bits(of: Double(bitPattern: bits)) ^ mask }
      guard type < 12, let value = Double(exactly: Int64(bitPattern: bits)),
        value.magnitude < 0x1p63
      else { return nil }
      return NumberOrder.bits(of: value) ^ mask
    case .other: return nil
    }
  }

  /// The type and the bits of the value that has a word.
  @inline(__always)
  func value(of word: UInt64) -> (type: UInt32, bits: UInt64) {
    let word = word ^ mask
    if word == 0 { return (SerialType.null, 0) }
    if kind == .integer {
      let value = Int64(bitPattern: word - 1) &- Self.bias
      return (SerialType.integer(value), UInt64(bitPattern: value))
    }
    let value = NumberOrder.value(of: word)
    if value.magnitude < 0x1p63 {
      let integer = Int64(value)
      let type = SerialType.integer(integer)
      if Double(integer) == value, !(isReal && type == 6) {
        return (type, UInt64(bitPattern: integer))
      }
    }
    return (SerialType.real, value.bitPattern)
  }
}
