/// The value of a record's column as words that are ordered as the values are, as far as they go.
struct ColumnWord {
  private let value: RecordCursor.Value
  private let mask: UInt64

  init(_ record: UnsafeRawPointer, column: Int, isDescending: Bool) {
    var cursor = RecordCursor(record)
    cursor.skip(column)
    value = cursor.next()
    mask = isDescending ? .max : 0
  }

  /// The bytes that the words are made from: the rank, then the value.
  var count: Int {
    switch value {
    case .null: 1
    case .number: 11
    case .text(let bytes), .blob(let bytes): 1 + bytes.count
    }
  }

  /// Eight of the bytes, those past the value's end being zero.
  func word(_ depth: Int) -> UInt64 {
    let rank = UInt64(value.rank) << 56
    switch value {
    case .null: return (depth == 0 ? rank : 0) ^ mask
    case .number(let type, let bytes):
      let number = ExactNumber(type: type, bytes)
      if depth == 0 { return (rank | number.word >> 8) ^ mask }
      let residue = UInt64(UInt16(bitPattern: number.residue) ^ 0x8000)
      return (depth == 1 ? number.word << 56 | residue << 40 : 0) ^ mask
    case .text(let bytes), .blob(let bytes):
      if depth == 0 { return (rank | Self.bytes(bytes, 0..<7) >> 8) ^ mask }
      return Self.bytes(bytes, 8 * depth - 1..<8 * depth + 7) ^ mask
    }
  }

  /// Bytes as a number whose first byte is the most significant one.
  private static func bytes(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> UInt64 {
    if range.lowerBound + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self)
      return UInt64(bigEndian: word) & (UInt64.max << UInt64(64 - 8 * range.count))
    }
    var word: UInt64 = 0
    for index in range where index < bytes.count {
      word |= UInt64(bytes[index]) << UInt64(56 - 8 * (index - range.lowerBound))
    }
    return word
  }
}
