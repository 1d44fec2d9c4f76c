import Foundation

/// A conversion of values from one type to another; a value that cannot be converted becomes
/// missing.
package enum ValueConversion: String, CaseIterable, Hashable, Sendable {
  /// Writes a number in digits, as `String(describing:)` does.
  case numberToText
  /// Writes a Boolean as `true` or `false`.
  case booleanToText
  /// Reads an integer as written by `String`: without a `+` sign or leading zeros.
  case textToInteger
  /// Reads a decimal number, which may have an exponent and surrounding white space.
  case textToNumber
  /// Reads `true`, `yes`, `y`, `1` and their opposites, case-insensitively.
  case textToBoolean
  /// Converts zero to false and any other number to true.
  case numberToBoolean
  /// Truncates fractions, as `Int(_:)` does.
  case numberToInteger
  case integerToNumber
  case uuidToText
  case textToUUID
  /// Writes a date as ISO 8601 in UTC: `2026-04-01T12:00:00Z`, without fractional seconds.
  case dateToText
  case textToDate
  case unixTimeToDate
  case dateToUnixTime
  case unixMillisecondsToDate
  /// Converts text to its UTF-8 bytes.
  case textToData
  case dataToText
  case uppercased
  case lowercased
  case trimmed

  /// Creates the conversion of values from one attribute type to another.
  ///
  /// - Returns: `nil` if values stay unchanged (see ``AttributeType/keepsValues(as:)``) or if no
  ///   conversion is known.
  package init?(from source: AttributeType, to destination: AttributeType) {
    switch (source, destination) {
    case (let old, let new) where old.keepsValues(as: new): return nil
    case (.boolean, .string): self = .booleanToText
    case (let old, .string) where old.isNumber: self = .numberToText
    case (.uuid, .string): self = .uuidToText
    case (.date, .string): self = .dateToText
    case (.binary, .string): self = .dataToText
    case (.string, .boolean): self = .textToBoolean
    case (.string, let new) where new.isWhole: self = .textToInteger
    case (.string, let new) where new.isNumber: self = .textToNumber
    case (.string, .uuid): self = .textToUUID
    case (.string, .date): self = .textToDate
    case (.string, .binary): self = .textToData
    case (let old, .boolean) where old.isNumber: self = .numberToBoolean
    case (let old, let new) where old.isNumber && new.isWhole: self = .numberToInteger
    case (let old, let new) where old.isNumber && new.isNumber: self = .integerToNumber
    default: return nil
    }
  }

  /// Converts a value; a missing value stays missing.
  package func callAsFunction(_ value: Value) -> Value {
    converted(value) ?? .null
  }

  private func converted(_ value: Value) -> Value? {
    switch self {
    case .numberToText, .booleanToText, .uuidToText, .dateToText, .dataToText: toText(value)
    case .textToInteger, .textToNumber, .textToBoolean, .textToUUID, .textToDate, .textToData:
      value.text.flatMap(fromText)
    case .numberToBoolean: value.number.map { .integer($0 == 0 ? 0 : 1) }
    case .numberToInteger: Self.whole(value)
    case .integerToNumber: value.number.map { .real($0) }
    case .unixTimeToDate: value.number.map { .real($0 - Self.epoch) }
    case .unixMillisecondsToDate: value.number.map { .real($0 / 1000 - Self.epoch) }
    case .dateToUnixTime: value.number.flatMap { Self.whole(.real($0 + Self.epoch)) }
    case .uppercased: value.text.map { .text($0.uppercased()) }
    case .lowercased: value.text.map { .text($0.lowercased()) }
    case .trimmed: value.text.map { .text($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }
  }

  /// The seconds between the starts of 1970 and 2001.
  private static let epoch = 978_307_200.0

  private func toText(_ value: Value) -> Value? {
    switch (self, value) {
    case (.numberToText, _): value.number == nil ? nil : value.asText.map { .text($0) }
    case (.booleanToText, .integer(let value)): .text(value == 0 ? "false" : "true")
    case (.uuidToText, .blob(let bytes)) where bytes.count == 16: .text(UUIDText.text(of: bytes))
    case (.dateToText, _):
      value.number.flatMap { Int64(exactly: $0.rounded(.down)) }
        .flatMap(ReferenceDate.iso8601).map { .text($0) }
    case (.dataToText, .blob(let bytes)): String(validating: bytes, as: UTF8.self).map { .text($0) }
    default: nil
    }
  }

  private func fromText(_ text: String) -> Value? {
    switch self {
    case .textToInteger: Int64(text).flatMap { String($0) == text ? .integer($0) : nil }
    case .textToNumber: Self.number(text)
    case .textToBoolean:
      ["true", "yes", "y", "1"].contains(text.lowercased())
        ? .integer(1) : ["false", "no", "n", "0"].contains(text.lowercased()) ? .integer(0) : nil
    case .textToUUID: UUIDText.bytes(of: text).map { .blob($0) }
    case .textToDate: ReferenceDate.seconds(iso8601: text).map { .real(Double($0)) }
    case .textToData: .blob(Array(text.utf8))
    default: nil
    }
  }

  private static func number(_ text: String) -> Value? {
    let digits = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard digits.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }),
      let number = Double(digits)
    else { return nil }
    return .real(number)
  }

  private static func whole(_ value: Value) -> Value? {
    switch value {
    case .integer: value
    case .real(let number): Int64(exactly: number.rounded(.towardZero)).map { .integer($0) }
    default: nil
    }
  }

  /// Returns a real number as the fewest digits that identify it; a whole number has no fraction.
  static func text(of number: Double) -> String {
    Int64(exactly: number).map { String($0) } ?? "\(number)"
  }
}

extension AttributeType {
  /// Whether values of this type are stored in the same way as values of the other type.
  package func keepsValues(as other: AttributeType) -> Bool {
    if self == other { return true }
    return switch (self, other) {
    case (.boolean, _) where other.isWhole, (.string, .uri), (.uri, .string): true
    case (.date, .double), (.double, .date): true
    case (_, _) where isWhole && self != .boolean && other.isWhole && other != .boolean:
      wholeBits <= other.wholeBits
    case (.float, .double), (.transformable, .binary), (.binary, .transformable): true
    default: false
    }
  }

  fileprivate var isNumber: Bool { isWhole || [.double, .float, .decimal].contains(self) }

  fileprivate var wholeBits: Int {
    self == .integer16 ? 16 : self == .integer32 ? 32 : 64
  }
}

extension Value {
  /// The value as text; `nil` for numbers, blobs and NULL.
  package var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}
