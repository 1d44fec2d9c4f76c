// The rules are those of OP_Affinity and OP_MakeRecord in SQLite's vdbe.c.
extension RowEncoder {
  @inlinable
  @inline(__always)
  package mutating func appendNull() {
    guard rules[column] != .excess else { return skipExcess() }
    finish(SerialType.null, size: 0, bits: 0)
  }

  /// Appends an integer, which is text in a column of text.
  @inlinable
  @inline(__always)
  package mutating func append(_ value: Int64) {
    switch rules[column] {
    case .blob, .numeric, .integer: store(value)
    case .real: storeShort(value)
    case .text, .rowid, .excess: appendConverted(value)
    }
  }

  /// Appends a number, shortened to an integer as its column allows; NaN is NULL.
  @inlinable
  @inline(__always)
  package mutating func append(_ value: Double) {
    switch rules[column] {
    case .blob: value.isNaN ? finish(SerialType.null, size: 0, bits: 0) : store(value)
    case .numeric, .integer, .real: storeNumber(value)
    case .text, .rowid, .excess: appendConverted(value)
    }
  }

  @inlinable
  @inline(__always)
  mutating func finish(_ type: UInt32, size: Int, bits: UInt64) {
    slots[column] = ColumnSlot(
      type: type,
      offset: UInt32(truncatingIfNeeded: bodyCount),
      bits: bits
    )
    column += 1
    bodyCount += size
    typeBytes += 1
  }

  @inlinable
  @inline(__always)
  mutating func store(_ value: Int64) {
    reserve(8)
    let type = SerialType.integer(value)
    let size = SerialType.numberSize(type)
    let bits = UInt64(bitPattern: value)
    SerialType.put(bits, size: size, at: body + bodyCount)
    finish(type, size: size, bits: bits)
  }

  @inlinable
  @inline(__always)
  mutating func store(_ value: Double) {
    reserve(8)
    SerialType.put(value.bitPattern, size: 8, at: body + bodyCount)
    finish(SerialType.real, size: 8, bits: value.bitPattern)
  }

  /// A column of reals keeps integers up to six bytes as such.
  @inlinable
  @inline(__always)
  mutating func storeShort(_ value: Int64) {
    if SerialType.integer(value) != 6 { store(value) } else { store(Double(value)) }
  }

  @inlinable
  mutating func storeNumber(_ value: Double) {
    if value.magnitude < 0x1p63 {
      let integer = Int64(value)
      if Double(integer) == value {
        return rules[column] == .real && SerialType.integer(integer) == 6
          ? store(value) : store(integer)
      }
    }
    if value.isNaN { return finish(SerialType.null, size: 0, bits: 0) }
    store(value)
  }

  @usableFromInline
  mutating func appendConverted(_ value: Int64) {
    switch rules[column] {
    case .text: appendDigits(String(value))
    case .rowid: finish(SerialType.null, size: 0, bits: 0)
    default: skipExcess()
    }
  }

  @usableFromInline
  mutating func appendConverted(_ value: Double) {
    switch rules[column] {
    case .text:
      value.isNaN
        ? finish(SerialType.null, size: 0, bits: 0) : appendDigits(NumericText.text(of: value))
    case .rowid: finish(SerialType.null, size: 0, bits: 0)
    default: skipExcess()
    }
  }

  private mutating func appendDigits(_ text: String) {
    var text = text
    text.withUTF8 { appendText(UnsafeRawBufferPointer($0)) }
  }

  /// Counts a value for which there is no column: the row's end reports it.
  @usableFromInline
  mutating func skipExcess() {
    excess += 1
  }
}
