/// SQLite's integers of variable length: seven bits a byte, the most significant first; a ninth byte
/// has eight (https://www.sqlite.org/fileformat2.html#varint).
enum Varint {
  static func length(_ value: UInt64) -> Int {
    let bits = 64 - (value | 1).leadingZeroBitCount
    return bits > 56 ? 9 : (bits + 6) / 7
  }

  /// Writes a value and returns its length.
  @inline(__always)
  @discardableResult
  static func put(_ value: UInt64, at target: UnsafeMutableRawPointer) -> Int {
    if value < 0x80 {
      target.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
      return 1
    }
    return putLong(value, at: target)
  }

  private static func putLong(_ value: UInt64, at target: UnsafeMutableRawPointer) -> Int {
    let length = Self.length(value)
    var rest = value
    var last = length - 1
    if length == 9 {
      target.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: 8, as: UInt8.self)
      rest >>= 8
      last = 7
    }
    var mark: UInt8 = length == 9 ? 0x80 : 0
    for place in stride(from: last, through: 0, by: -1) {
      let byte = UInt8(truncatingIfNeeded: rest & 0x7f) | mark
      target.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
      rest >>= 7
      mark = 0x80
    }
    return length
  }

  /// Reads a value that this writer wrote.
  @inline(__always)
  static func get(_ source: UnsafeRawPointer) -> (value: UInt64, length: Int) {
    let first = source.loadUnaligned(as: UInt8.self)
    return first < 0x80 ? (UInt64(first), 1) : getLong(source)
  }

  private static func getLong(_ source: UnsafeRawPointer) -> (value: UInt64, length: Int) {
    var value: UInt64 = 0
    for place in 0..<8 {
      let byte = source.load(fromByteOffset: place, as: UInt8.self)
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return (value, place + 1) }
    }
    return (value << 8 | UInt64(source.load(fromByteOffset: 8, as: UInt8.self)), 9)
  }
}
