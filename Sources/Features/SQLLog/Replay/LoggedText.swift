import Basics
import DataModel

/// A value shown in a log.
///
/// It is used for a replay on this machine and is never reported.
package enum LoggedValue: Hashable, Sendable {
  case value(Value)
  /// Binary data by its length in bytes; -1 if the log does not show the length.
  case blob(bytes: Int)

  /// Parses the value of a bind line: `"s"`, `18`, `(int64)18`, `nil`, `<12 bytes>`.
  init(bound bytes: UnsafeRawBufferPointer) {
    let rest = bytes.part(Self.endOfType(bytes)..<bytes.count)
    if rest.count >= 2, rest.first == 34, rest.last == 34 {
      self = .value(.text(rest.part(1..<rest.count - 1).text))
    } else if let number = Self.number(rest) {
      self = .value(number)
    } else if ["nil", "null", "NULL", "(null)"].contains(rest.text) {
      self = .value(.null)
    } else if rest.first == 60 || rest.first == 123 {
      self = .blob(bytes: Self.blobLength(rest) ?? -1)
    } else {
      self = .value(.text(rest.text))
    }
  }

  /// Returns the index after the type that newer systems print before a value; the format is
  /// assumed.
  static func endOfType(_ value: UnsafeRawBufferPointer) -> Int {
    guard value.first == 40, let end = value.place(of: 41, from: 0), end < 16,
      types.contains(value.part(1..<end).text.lowercased())
    else { return 0 }
    return end + 1
  }

  private static let types: Set<String> = [
    "int", "int16", "int32", "int64", "integer", "long", "longlong", "bool", "boolean", "float",
    "double", "real", "decimal", "string", "text", "varchar", "date", "timestamp", "data", "blob",
    "binary", "uuid", "uri", "null",
  ]

  init(literal bytes: UnsafeRawBufferPointer) {
    if bytes.first == 39 {
      let end = bytes.last == 39 && bytes.count > 1 ? bytes.count - 1 : bytes.count
      self = .value(.text(bytes.part(1..<end).text.replacing("''", with: "'")))
    } else if let first = bytes.first, first | 0x20 == 120 {
      self = .value(.blob(Self.hexadecimal(bytes)))
    } else {
      self = .value(Self.number(bytes) ?? .text(bytes.text))
    }
  }

  /// Parses a number that is the whole value or is followed by a space and text, such as a date.
  private static func number(_ bytes: UnsafeRawBufferPointer) -> Value? {
    guard let first = bytes.first, LineHead.isDigit(first) || first == 45 || first == 43 else {
      return nil
    }
    let end = bytes.place(of: 32, from: 0) ?? bytes.count
    // A formatted date is not a number: `2020-03-18 20:22:22 +0000`.
    let text = bytes.part(0..<end).text
    if let integer = Int64(text) { return .integer(integer) }
    return Double(text).map { .real($0) }
  }

  /// Returns the length in `<12 bytes>`, `{length = 12, bytes = 0x…}` and `<01020304 05>`; `nil`
  /// for other strings.
  static func blobLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.first == 60 || bytes.first == 123 else { return nil }
    if let place = bytes.place(of: "length = "), let (number, _) = bytes.number(at: place + 9) {
      return number
    }
    if let (number, end) = bytes.number(at: 1), bytes.has(" byte", at: end) { return number }
    let digits = bytes.dropFirst().dropLast().filter { $0 != 32 }
    let isHexadecimal = digits.allSatisfy {
      LineHead.isDigit($0) || (97...102).contains($0 | 0x20)
    }
    return isHexadecimal && bytes.last == 62 ? digits.count / 2 : nil
  }

  private static func hexadecimal(_ literal: UnsafeRawBufferPointer) -> [UInt8] {
    let digits = literal.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

/// The text of a statement with its values and the keys of its rows, for a replay.
package struct LoggedText: Sendable {
  /// The statement, with its literals replaced by parameters if the log shows all values as
  /// literals.
  package private(set) var sql: String
  /// The value of each parameter; `nil` if the log does not show it.
  package private(set) var values: [LoggedValue?] = []
  /// The keys of the rows in the log, in order; logs below SQLDebug level 3 have no keys.
  package internal(set) var keys: [Int64] = []

  /// The statement's position among those of all connections in SQLite's statement logs; -1 for
  /// other logs.
  let sequence: Int

  private static let mostValues = 32_766

  init(
    sql bytes: UnsafeRawBufferPointer,
    literals: Bool,
    isPlain: Bool,
    sequence: Int
  ) {
    self.sequence = sequence
    guard literals else {
      sql = bytes.text
      return
    }
    var reader = Fingerprint(isPlain: isPlain)
    reader.read(bytes)
    sql = ""
    var start = 0
    for mark in reader.marks.prefix(Self.mostValues) {
      sql += bytes.part(start..<mark.range.lowerBound).text + "?"
      values.append(mark.isParameter ? nil : LoggedValue(literal: bytes.part(mark.range)))
      start = mark.range.upperBound
    }
    sql += bytes.part(start..<bytes.count).text
  }

  mutating func bind(_ value: LoggedValue, at index: Int) {
    guard index >= 0, index < Self.mostValues else { return }
    while values.count <= index { values.append(nil) }
    values[index] = value
  }

  var size: Int {
    values.reduce(sql.utf8.count / 8 + keys.count * 8) { sum, value in
      switch value {
      case .value(.text(let text))?: sum + text.utf8.count + 32
      case .value(.blob(let bytes))?: sum + bytes.count + 32
      default: sum + 32
      }
    }
  }
}
