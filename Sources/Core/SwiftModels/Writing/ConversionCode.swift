import DataModel

/// Generates Swift expressions that convert values by calling the functions in ``source``.
enum ConversionCode {
  static func read(_ attribute: Attribute, of object: String) -> String {
    "\(object).\(SwiftNames.member(SwiftNames.property(attribute.name)))"
  }

  static func call(_ conversion: ValueConversion, on value: String) -> String {
    "Convert.\(conversion.rawValue)(\(value))"
  }

  static func kept(_ value: String, from former: AttributeType, to type: AttributeType) -> String {
    former == type ? value : "Convert.kept(\(value))"
  }

  static let source = #"""
    import Foundation

    /// Converts values between types; a value that the new type cannot represent becomes `nil`.
    enum Convert {
      static func kept<Number: FixedWidthInteger>(_ value: Bool?) -> Number? {
        value.map { $0 ? 1 : 0 }
      }

      static func kept<Number: FixedWidthInteger>(_ value: (some FixedWidthInteger)?) -> Number? {
        value.flatMap { Number(exactly: $0) }
      }

      static func kept(_ value: Float?) -> Double? { value.map { Double($0) } }
      static func kept(_ value: String?) -> URL? { value.flatMap { URL(string: $0) } }
      static func kept(_ value: URL?) -> String? { value?.absoluteString }

      static func kept(_ value: Double?) -> Date? {
        value.map { Date(timeIntervalSinceReferenceDate: $0) }
      }

      static func kept(_ value: Date?) -> Double? { value?.timeIntervalSinceReferenceDate }

      static func numberToText(_ value: (some FixedWidthInteger)?) -> String? {
        value.map { "\($0)" }
      }

      /// Formats a whole number without a decimal point.
      static func numberToText(_ value: (some BinaryFloatingPoint)?) -> String? {
        value.map { number in
          let number = Double(number)
          return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        }
      }

      static func numberToText(_ value: Decimal?) -> String? { value.map { "\($0)" } }

      static func booleanToText(_ value: Bool?) -> String? { value.map { $0 ? "true" : "false" } }

      /// Reads an integer in its shortest form only, without a plus sign or leading zeros.
      static func textToInteger<Number: FixedWidthInteger>(_ text: String?) -> Number? {
        text.flatMap { text in Number(text).flatMap { "\($0)" == text ? $0 : nil } }
      }

      static func textToNumber<Number: BinaryFloatingPoint>(_ text: String?) -> Number? {
        trimmed(text).flatMap { Double($0) }.flatMap { $0.isFinite ? Number($0) : nil }
      }

      static func textToNumber(_ text: String?) -> Decimal? {
        trimmed(text).flatMap { Decimal(string: $0) }
      }

      static func textToBoolean(_ text: String?) -> Bool? {
        switch text?.lowercased() {
        case "true", "yes", "y", "1": true
        case "false", "no", "n", "0": false
        default: nil
        }
      }

      static func numberToBoolean(_ value: (some Numeric)?) -> Bool? { value.map { $0 != 0 } }

      static func numberToInteger<Number: FixedWidthInteger>(
        _ value: (some FixedWidthInteger)?
      ) -> Number? {
        value.flatMap { Number(exactly: $0) }
      }

      /// Rounds a number toward zero.
      static func numberToInteger<Number: FixedWidthInteger>(
        _ value: (some BinaryFloatingPoint)?
      ) -> Number? {
        value.flatMap { Number(exactly: $0.rounded(.towardZero)) }
      }

      static func numberToInteger<Number: FixedWidthInteger>(_ value: Decimal?) -> Number? {
        numberToInteger(integerToNumber(value) as Double?)
      }

      static func integerToNumber<Number: BinaryFloatingPoint>(
        _ value: (some FixedWidthInteger)?
      ) -> Number? {
        value.map { Number($0) }
      }

      static func integerToNumber<Number: BinaryFloatingPoint>(
        _ value: (some BinaryFloatingPoint)?
      ) -> Number? {
        value.map { Number($0) }
      }

      static func integerToNumber<Number: BinaryFloatingPoint>(_ value: Decimal?) -> Number? {
        value.flatMap { Double("\($0)") }.map { Number($0) }
      }

      static func integerToNumber<Number: BinaryFloatingPoint>(_ value: Bool?) -> Number? {
        value.map { $0 ? 1 : 0 }
      }

      static func integerToNumber(_ value: Bool?) -> Decimal? { value.map { $0 ? 1 : 0 } }

      static func integerToNumber(_ value: (some FixedWidthInteger)?) -> Decimal? {
        value.flatMap { Decimal(string: "\($0)") }
      }

      static func integerToNumber(_ value: (some BinaryFloatingPoint)?) -> Decimal? {
        value.map { Decimal(Double($0)) }
      }

      static func uuidToText(_ value: UUID?) -> String? { value?.uuidString }
      static func textToUUID(_ text: String?) -> UUID? { text.flatMap { UUID(uuidString: $0) } }

      /// Formats a date by ISO 8601 in UTC, without fractions of a second.
      static func dateToText(_ value: Date?) -> String? {
        value.map { ISO8601DateFormatter().string(from: $0) }
      }

      static func textToDate(_ text: String?) -> Date? {
        text.flatMap { text in
          ISO8601DateFormatter().date(from: text.count == 10 ? text + "T00:00:00Z" : text)
        }
      }

      static func unixTimeToDate(_ value: (some FixedWidthInteger)?) -> Date? {
        value.map { Date(timeIntervalSince1970: Double($0)) }
      }

      static func unixTimeToDate(_ value: (some BinaryFloatingPoint)?) -> Date? {
        value.map { Date(timeIntervalSince1970: Double($0)) }
      }

      static func unixMillisecondsToDate(_ value: (some FixedWidthInteger)?) -> Date? {
        value.map { Date(timeIntervalSince1970: Double($0) / 1000) }
      }

      static func unixMillisecondsToDate(_ value: (some BinaryFloatingPoint)?) -> Date? {
        value.map { Date(timeIntervalSince1970: Double($0) / 1000) }
      }

      static func dateToUnixTime<Number: FixedWidthInteger>(_ value: Date?) -> Number? {
        value.flatMap { Number(exactly: $0.timeIntervalSince1970.rounded(.towardZero)) }
      }

      static func dateToUnixTime(_ value: Date?) -> Double? {
        value?.timeIntervalSince1970.rounded(.towardZero)
      }

      static func textToData(_ text: String?) -> Data? { text.map { Data($0.utf8) } }

      static func dataToText(_ value: Data?) -> String? {
        value.flatMap { String(data: $0, encoding: .utf8) }
      }

      static func uppercased(_ text: String?) -> String? { text?.uppercased() }
      static func lowercased(_ text: String?) -> String? { text?.lowercased() }

      static func trimmed(_ text: String?) -> String? {
        text?.trimmingCharacters(in: .whitespacesAndNewlines)
      }
    }

    """#
}
