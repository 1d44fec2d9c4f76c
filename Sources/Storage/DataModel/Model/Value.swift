import Basics
import Foundation

/// A value as SQLite stores it: one of the five storage classes.
///
/// Dates are seconds since 2001-01-01 00:00:00 UTC, Booleans 0 or 1, UUIDs 16 bytes in RFC order,
/// URIs text, decimals integers or reals (coredata-format.md, section 8).
package enum Value: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

/// Dates as a store keeps them: seconds since 2001-01-01 00:00:00 UTC.
package enum ReferenceDate {
  /// The seconds at an ISO 8601 time in UTC, `2026-04-01T12:00:00Z` or `2026-04-01`, or `nil`.
  package static func seconds(iso8601 text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 10 || bytes.count == 20 else { return nil }
    let shape = Array("0000-00-00T00:00:00Z".utf8)
    for (byte, expected) in zip(bytes, shape) {
      let isDigit = (48...57).contains(byte)
      guard expected == 48 ? isDigit : byte == expected else { return nil }
    }
    func number(_ range: Range<Int>) -> Int {
      bytes[range].reduce(0) { $0 * 10 + Int($1 - 48) }
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let isTimed = bytes.count == 20
    let time = isTimed ? (number(11..<13), number(14..<16), number(17..<19)) : (0, 0, 0)
    guard (1...12).contains(month), day >= 1, day <= length(of: month, in: year),
      time.0 < 24, time.1 < 60, time.2 < 60
    else { return nil }
    let seconds = days(toYear: year, month: month, day: day) * 86_400
    return Int64(seconds + time.0 * 3600 + time.1 * 60 + time.2)
  }

  /// The ISO 8601 text of a whole second of the years 0 to 9999, or `nil` for any other.
  package static func iso8601(seconds: Int64) -> String? {
    guard seconds >= first, seconds <= last else { return nil }
    let day = Int(seconds - first) / 86_400
    let second = Int(seconds - first) % 86_400
    // The average year has 365.2425 days, so this is at most one year off.
    var year = min(9999, day * 400 / 146_097)
    while daysBefore(year: year) > day { year -= 1 }
    while daysBefore(year: year + 1) <= day { year += 1 }
    var rest = day - daysBefore(year: year)
    var month = 1
    while rest >= length(of: month, in: year) {
      rest -= length(of: month, in: year)
      month += 1
    }
    let date = "\(year.digits(4))-\(month.digits(2))-\((rest + 1).digits(2))"
    let (hour, minute) = (second / 3600, second / 60 % 60)
    return "\(date)T\(hour.digits(2)):\(minute.digits(2)):\((second % 60).digits(2))Z"
  }

  private static let first = Int64(days(toYear: 0, month: 1, day: 1) * 86_400)
  private static let last = Int64(days(toYear: 10_000, month: 1, day: 1) * 86_400) - 1

  /// The days from 2001-01-01 to a day of the Gregorian calendar.
  private static func days(toYear year: Int, month: Int, day: Int) -> Int {
    let months = (1..<month).reduce(0) { $0 + length(of: $1, in: year) }
    return daysBefore(year: year) - daysBefore(year: 2001) + months + day - 1
  }

  /// The days from the start of the year 0 to the start of a later one.
  private static func daysBefore(year: Int) -> Int {
    let past = year - 1
    return year == 0 ? 0 : year * 365 + past / 4 - past / 100 + past / 400 + 1
  }

  private static func length(of month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// UUIDs as texts of 36 characters and as the 16 bytes that a store keeps.
package enum UUIDText {
  /// The bytes in RFC order, or `nil` for a text that is no UUID.
  package static func bytes(of text: String) -> [UInt8]? {
    UUID(uuidString: text).map { uuid in withUnsafeBytes(of: uuid.uuid) { Array($0) } }
  }

  /// The text in upper case, hyphens after the bytes 4, 6, 8 and 10.
  package static func text(of bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(0x2d) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
