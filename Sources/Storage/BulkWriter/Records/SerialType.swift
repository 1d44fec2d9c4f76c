/// The numbers by which a record's header names how each value is stored
/// (https://www.sqlite.org/fileformat2.html#record_format).
@usableFromInline
enum SerialType {
  @usableFromInline static let null: UInt32 = 0
  @usableFromInline static let real: UInt32 = 7
  @usableFromInline static let zero: UInt32 = 8

  /// The shortest type of an integer.
  @inlinable
  @inline(__always)
  static func integer(_ value: Int64) -> UInt32 {
    let size = UInt64(bitPattern: value ^ (value >> 63))
    if size < 0x80 {
      return size <= 1 && value >= 0 ? zero + UInt32(truncatingIfNeeded: size) : 1
    }
    if size < 0x8000 { return 2 }
    if size < 0x80_0000 { return 3 }
    if size < 0x8000_0000 { return 4 }
    return size < 0x8000_0000_0000 ? 5 : 6
  }

  /// The bytes of a number's value.
  @inlinable
  @inline(__always)
  static func numberSize(_ type: UInt32) -> Int {
    // One hexadecimal digit for each of the types 0 to 9.
    Int(truncatingIfNeeded: (0x00_8864_3210 as UInt64) >> UInt64(type * 4) & 0xf)
  }

  /// The bytes of any value.
  @inline(__always)
  static func size(_ type: UInt64) -> Int {
    type >= 12 ? Int(type - 12) / 2 : numberSize(UInt32(truncatingIfNeeded: type))
  }

  @inlinable
  @inline(__always)
  static func text(_ count: Int) -> UInt32 { UInt32(truncatingIfNeeded: count * 2 + 13) }

  @inlinable
  @inline(__always)
  static func blob(_ count: Int) -> UInt32 { UInt32(truncatingIfNeeded: count * 2 + 12) }

  /// Stores a number's value; up to eight bytes are written past `target`.
  @inlinable
  @inline(__always)
  static func put(_ bits: UInt64, size: Int, at target: UnsafeMutableRawPointer) {
    let shifted = size == 0 ? 0 : bits << UInt64(64 - size * 8)
    target.storeBytes(of: shifted.bigEndian, as: UInt64.self)
  }

  /// Reads the value of an integer's type.
  static func integer(_ type: UInt64, at source: UnsafeRawPointer) -> Int64 {
    if type >= 8 { return Int64(type) - 8 }
    let size = size(type)
    guard size > 0 else { return 0 }
    var bits: UInt64 = 0
    for place in 0..<size {
      bits = bits << 8 | UInt64(source.load(fromByteOffset: place, as: UInt8.self))
    }
    let unused = Int64(64 - size * 8)
    return (Int64(bitPattern: bits) << unused) >> unused
  }

  static func real(at source: UnsafeRawPointer) -> Double {
    Double(bitPattern: UInt64(bigEndian: source.loadUnaligned(as: UInt64.self)))
  }
}
