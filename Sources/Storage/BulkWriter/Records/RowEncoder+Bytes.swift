extension RowEncoder {
  /// Appends UTF-8 text, which is a number where it looks like one in a column of numbers.
  @inlinable
  @inline(__always)
  package mutating func appendText(_ utf8: UnsafeRawBufferPointer) {
    reserve(utf8.count)
    if let start = utf8.baseAddress {
      (body + bodyCount).copyMemory(from: start, byteCount: utf8.count)
    }
    endText(utf8.count)
  }

  /// Appends at most `capacity` bytes of UTF-8 text that a closure writes in place; it returns
  /// how many.
  @inlinable
  @inline(__always)
  package mutating func appendText(
    capacity: Int,
    _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) rethrows {
    reserve(capacity)
    let count = try fill(UnsafeMutableRawBufferPointer(start: body + bodyCount, count: capacity))
    endText(min(max(count, 0), capacity))
  }

  /// Appends a blob, which is one in every column.
  @inlinable
  @inline(__always)
  package mutating func appendBlob(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    if let start = bytes.baseAddress {
      (body + bodyCount).copyMemory(from: start, byteCount: bytes.count)
    }
    endBlob(bytes.count)
  }

  /// Appends a blob of at most `capacity` bytes that a closure writes in place; it returns how
  /// many.
  @inlinable
  @inline(__always)
  package mutating func appendBlob(
    capacity: Int,
    _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) rethrows {
    reserve(capacity)
    let count = try fill(UnsafeMutableRawBufferPointer(start: body + bodyCount, count: capacity))
    endBlob(min(max(count, 0), capacity))
  }

  @inlinable
  @inline(__always)
  mutating func endText(_ count: Int) {
    switch rules[column] {
    case .blob, .text: finish(long: SerialType.text(count), size: count)
    case .numeric, .integer, .real: endNumericText(count)
    case .rowid: finish(SerialType.null, size: 0, bits: 0)
    case .excess: skipExcess()
    }
  }

  @inlinable
  @inline(__always)
  mutating func endBlob(_ count: Int) {
    switch rules[column] {
    case .rowid: finish(SerialType.null, size: 0, bits: 0)
    case .excess: skipExcess()
    default: finish(long: SerialType.blob(count), size: count)
    }
  }

  @inlinable
  @inline(__always)
  mutating func finish(long type: UInt32, size: Int) {
    finish(type, size: size, bits: 0)
    if type >= 0x80 { typeBytes += type < 0x4000 ? 1 : Self.furtherBytes(type) }
  }

  @usableFromInline
  static func furtherBytes(_ type: UInt32) -> Int { Varint.length(UInt64(type)) - 1 }

  @usableFromInline
  mutating func endNumericText(_ count: Int) {
    let bytes = UnsafeRawBufferPointer(start: body + bodyCount, count: count)
    switch NumericText.number(in: bytes) {
    case .integer(let value): rules[column] == .real ? storeShort(value) : store(value)
    case .real(let value): storeNumber(value)
    case nil: finish(long: SerialType.text(count), size: count)
    }
  }
}
