/// The representation of an index's entries as 64-bit words: one per column, then the rowid.
///
/// The record of an entry can be created from its words.
struct KeyWords: Sendable {
  private static let columnLimit = 3

  let columns: [KeyColumn]

  /// Fails if the index has more than three columns, or a column whose usual values do not fit
  /// words.
  init?(_ columns: [KeyColumn]) {
    guard columns.count <= Self.columnLimit, columns.allSatisfy({ $0.kind != .other }) else {
      return nil
    }
    self.columns = columns
  }

  var stride: Int { columns.count + 1 }

  var recordRoom: Int { 2 + columns.count + stride * 8 + 8 }

  @inline(__always)
  func putRecord(
    _ words: UnsafePointer<UInt64>,
    columns: UnsafeBufferPointer<KeyColumn>,
    at target: UnsafeMutableRawPointer
  ) -> Int {
    let header = columns.count + 2
    target.storeBytes(of: UInt8(truncatingIfNeeded: header), as: UInt8.self)
    var body = target + header
    for column in columns.indices {
      let (type, bits) = columns[column].value(of: words[column])
      Self.put(type, bits, at: target + column + 1, &body)
    }
    let rowid = words[columns.count]
    let type = SerialType.integer(Int64(bitPattern: rowid))
    Self.put(type, rowid, at: target + columns.count + 1, &body)
    return body - target
  }

  func expand(_ entries: UnsafeRawPointer, count: Int, into arena: inout ByteArena) {
    let words = entries.assumingMemoryBound(to: UInt64.self)
    columns.withUnsafeBufferPointer { columns in
      for index in 0..<count {
        // A record created from words is shorter than 128 bytes, so its length takes one byte.
        let target = arena.reserve(recordRoom + 1)
        let size = putRecord(words + index * stride, columns: columns, at: target + 1)
        target.storeBytes(of: UInt8(truncatingIfNeeded: size), as: UInt8.self)
        arena.count += size + 1
      }
    }
  }

  @inline(__always)
  private static func put(
    _ type: UInt32,
    _ bits: UInt64,
    at header: UnsafeMutableRawPointer,
    _ body: inout UnsafeMutableRawPointer
  ) {
    header.storeBytes(of: UInt8(truncatingIfNeeded: type), as: UInt8.self)
    let size = SerialType.numberSize(type)
    SerialType.put(bits, size: size, at: body)
    body += size
  }
}

struct KeyColumn: Sendable {
  enum Kind: Sendable {
    /// A column whose NULLs and 63-bit integers are represented as words.
    case integer
    /// A column whose NULLs and numbers are represented as words, if a double can represent the
    /// number exactly; whole numbers are stored as integers.
    case number
    case other
  }

  /// The offset that maps integers from -2^62 to 2^62 - 1 to words from 1 to 2^63.
  ///
  /// The word 0 is NULL.
  private static let bias: Int64 = 1 << 62

  let position: Int?
  let kind: Kind
  /// Whether whole numbers that would need eight bytes as integers are stored as floating-point
  /// numbers.
  private let isReal: Bool
  /// The mask that inverts words for descending order: all ones, or 0 for ascending order.
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

  /// The word for a value; `nil` if the value cannot be represented as a word.
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
      if type == SerialType.real { return Double(bitPattern: bits).orderedBits ^ mask }
      guard type < 12, let value = Double(exactly: Int64(bitPattern: bits)),
        value.magnitude < 0x1p63
      else { return nil }
      return value.orderedBits ^ mask
    case .other: return nil
    }
  }

  @inline(__always)
  func value(of word: UInt64) -> (type: UInt32, bits: UInt64) {
    let word = word ^ mask
    if word == 0 { return (SerialType.null, 0) }
    if kind == .integer {
      let value = Int64(bitPattern: word - 1) &- Self.bias
      return (SerialType.integer(value), UInt64(bitPattern: value))
    }
    let value = Double(orderedBits: word)
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

extension Double {
  /// A word that sorts like the value and is never 0.
  @inline(__always)
  fileprivate var orderedBits: UInt64 {
    // Adding zero turns -0.0 into 0.0.
    let bits = (self + 0).bitPattern
    return bits >> 63 == 1 ? ~bits : bits | 1 << 63
  }

  @inline(__always)
  fileprivate init(orderedBits word: UInt64) {
    self.init(bitPattern: word >> 63 == 1 ? word & ~(1 << 63) : ~word)
  }
}

/// An integer or a double, ordered by its exact value.
///
/// Neither type can represent all values of the other type.
struct ExactNumber: Comparable {
  let word: UInt64
  let residue: Int16

  init(type: UInt64, _ bytes: UnsafeRawPointer) {
    if type == UInt64(SerialType.real) {
      self.init(word: SerialType.real(at: bytes).orderedBits, residue: 0)
    } else {
      self.init(SerialType.integer(type, at: bytes))
    }
  }

  init(_ value: Int64) {
    let nearest = Double(value)
    // The largest integers round up to 2^63, which is replaced by the smallest integer, 2^64 less.
    // The subtraction wraps around by the same amount, so the residue is correct.
    let integer = nearest < 0x1p63 ? Int64(nearest) : Int64.min
    self.init(word: nearest.orderedBits, residue: Int16(truncatingIfNeeded: value &- integer))
  }

  private init(word: UInt64, residue: Int16) {
    self.word = word
    self.residue = residue
  }

  static func < (left: Self, right: Self) -> Bool {
    left.word != right.word ? left.word < right.word : left.residue < right.residue
  }
}
