import Basics

/// Numbers as text and text as numbers, where a column's affinity asks for it.
enum NumericText {
  enum Number: Equatable {
    case integer(Int64)
    case real(Double)
  }

  /// The text of a double: 15 digits, and always a decimal point, as SQLite prints `%!.15g`.
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

  /// The number that the whole of a text is, white space around it aside.
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

  /// Whether a well-formed number is an integer; `nil` where the bytes are no number.
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
