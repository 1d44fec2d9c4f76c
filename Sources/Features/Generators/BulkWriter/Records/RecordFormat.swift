import Basics

/// The serial types that describe the storage of each value in a record's header
/// (https://www.sqlite.org/fileformat2.html#record_format).
@usableFromInline
enum SerialType {
  @usableFromInline static let null: UInt32 = 0
  @usableFromInline static let real: UInt32 = 7
  @usableFromInline static let zero: UInt32 = 8

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

  @inlinable
  @inline(__always)
  static func numberSize(_ type: UInt32) -> Int {
    // The sizes of serial types 0 to 9 in bytes, one hexadecimal digit each.
    Int(truncatingIfNeeded: (0x00_8864_3210 as UInt64) >> UInt64(type * 4) & 0xf)
  }

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

  /// Stores a number in `size` bytes; the write always covers eight bytes at `target`.
  @inlinable
  @inline(__always)
  static func put(_ bits: UInt64, size: Int, at target: UnsafeMutableRawPointer) {
    let shifted = size == 0 ? 0 : bits << UInt64(64 - size * 8)
    target.storeBytes(of: shifted.bigEndian, as: UInt64.self)
  }

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

  @inline(__always)
  static func headerSize(typeBytes: Int) -> Int {
    if typeBytes < 127 { return typeBytes + 1 }
    return typeBytes + 2 < 0x4000 ? typeBytes + 2 : typeBytes + 3
  }

  static func real(at source: UnsafeRawPointer) -> Double {
    Double(bitPattern: UInt64(bigEndian: source.loadUnaligned(as: UInt64.self)))
  }
}

/// SQLite's variable-length integers: seven bits per byte, the most significant first; a ninth byte
/// has eight bits (https://www.sqlite.org/fileformat2.html#varint).
enum Varint {
  static func length(_ value: UInt64) -> Int {
    let bits = 64 - (value | 1).leadingZeroBitCount
    return bits > 56 ? 9 : (bits + 6) / 7
  }

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

/// The conversions between numbers and text that a column's affinity requires.
enum NumericText {
  enum Number: Equatable {
    case integer(Int64)
    case real(Double)
  }

  /// The text of a double as SQLite's `%!.15g` writes it: 15 significant digits and always a
  /// decimal point.
  static func text(of value: Double) -> String {
    if value.isInfinite { return value < 0 ? "-Inf" : "Inf" }
    if value == 0 { return "0.0" }
    var buffer = [CChar](repeating: 0, count: 40)
    let count = withVaList([value]) { vsnprintf(&buffer, buffer.count, "%.15g", $0) }
    let printed = String(decoding: buffer.prefix(Int(count)).map(UInt8.init), as: UTF8.self)
    if printed.contains(".") { return printed }
    guard let exponent = printed.firstIndex(of: "e") else { return printed + ".0" }
    return printed[..<exponent] + ".0" + printed[exponent...]
  }

  static func number(in text: UnsafeRawBufferPointer) -> Number? {
    var (start, end) = (0, text.count)
    while start < end, isSpace(text[start]) { start += 1 }
    while end > start, isSpace(text[end - 1]) { end -= 1 }
    let bytes = UnsafeRawBufferPointer(rebasing: text[start..<end])
    guard let isInteger = wellFormed(bytes) else { return nil }
    let digits = String(decoding: bytes, as: UTF8.self)
    if isInteger, let value = Int64(digits) { return .integer(value) }
    return .real(strtod(digits, nil))
  }

  /// Returns whether a number in text form is an integer; `nil` if the bytes are not a number.
  private static func wellFormed(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    var place = 0
    func skipDigits() -> Int {
      let start = place
      while place < bytes.count, (0x30...0x39).contains(bytes[place]) { place += 1 }
      return place - start
    }
    func skip(_ characters: UInt8...) -> Bool {
      guard place < bytes.count, characters.contains(bytes[place]) else { return false }
      place += 1
      return true
    }
    _ = skip(UInt8(ascii: "-"), UInt8(ascii: "+"))
    var digits = skipDigits()
    var isInteger = true
    if skip(UInt8(ascii: ".")) {
      isInteger = false
      digits += skipDigits()
    }
    guard digits > 0 else { return nil }
    if skip(UInt8(ascii: "e"), UInt8(ascii: "E")) {
      isInteger = false
      _ = skip(UInt8(ascii: "-"), UInt8(ascii: "+"))
      guard skipDigits() > 0 else { return nil }
    }
    return place == bytes.count ? isInteger : nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0d).contains(byte)
  }
}
