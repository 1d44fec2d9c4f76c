import Basics
import DataModel

/// The permitted edges of bins, which are round numbers so that they do not reveal values.
///
/// Cells are numbered with integers: cell n contains the numbers `edge(n)..<edge(n + 1)`.
enum Grid: Hashable {
  /// The multiples of 1, 2 or 5 times a power of ten.
  case linear(step: Int, exponent: Int)
  /// The numbers 1, 2, 3 … 9 times a power of ten on both sides of zero, for columns with many
  /// orders of magnitude.
  case leadingDigit
  /// Calendar months, in seconds since 2001-01-01.
  case months

  private static let smallestExponent = -9
  private static let largestExponent = 18

  init(low: Double, high: Double, cells: Int, isWhole: Bool) {
    let isWide = (low > 0 && high > 50 * low) || (high < 0 && low < 50 * high)
    let touchesZero = low <= 0 && high >= 0 && max(-low, high) > 1_000
    guard cells >= 1, high > low, !isWide, !touchesZero else {
      self = .leadingDigit
      return
    }
    let wanted = (high - low) / Double(cells)
    for exponent in (isWhole ? 0 : Self.smallestExponent)...Self.largestExponent {
      for step in [1, 2, 5] where Self.scaled(Double(step), exponent) >= wanted {
        self = .linear(step: step, exponent: exponent)
        return
      }
    }
    self = .leadingDigit
  }

  func cell(of number: Double) -> Int {
    switch self {
    case .linear(let step, let exponent):
      let scaled =
        exponent >= 0
        ? number / Self.power(exponent) : number * Self.power(-exponent)
      return Self.bounded((scaled / Double(step)).rounded(.down))
    case .leadingDigit: return number < 0 ? -1 - Self.digitCell(-number) : Self.digitCell(number)
    case .months: return CalendarMonth(seconds: number).index
    }
  }

  func edge(_ cell: Int) -> Double {
    switch self {
    case .linear(let step, let exponent): Self.scaled(Double(cell) * Double(step), exponent)
    case .leadingDigit: cell < 0 ? -Self.digitEdge(-cell) : Self.digitEdge(cell)
    case .months: CalendarMonth(index: cell).seconds
    }
  }

  // Cell 0 contains the numbers between zero and the smallest magnitude.
  private static func digitCell(_ magnitude: Double) -> Int {
    var exponent = smallestExponent
    guard magnitude >= scaled(1, exponent) else { return 0 }
    while exponent < largestExponent, magnitude >= scaled(1, exponent + 1) { exponent += 1 }
    var digit = 1
    while digit < 9, magnitude >= scaled(Double(digit + 1), exponent) { digit += 1 }
    return 1 + (exponent - smallestExponent) * 9 + digit - 1
  }

  private static func digitEdge(_ cell: Int) -> Double {
    guard cell > 0 else { return 0 }
    let (exponents, digit) = (cell - 1).quotientAndRemainder(dividingBy: 9)
    return scaled(Double(digit + 1), exponents + smallestExponent)
  }

  private static func bounded(_ cell: Double) -> Int { Int(min(max(cell, -1e15), 1e15)) }

  // Divide by powers of ten: 3 / 10 is the double nearest to 0.3, but 3 × 0.1 is not.
  private static func scaled(_ number: Double, _ exponent: Int) -> Double {
    exponent >= 0 ? number * power(exponent) : number / power(-exponent)
  }

  private static func power(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1.0) { power, _ in power * 10 }
  }
}

/// A month of the Gregorian calendar in UTC, counted from January 2001, which is 0.
package struct CalendarMonth: Hashable, Sendable {
  package let index: Int

  private static let range = -2_001 * 12...(7_998 * 12 + 11)

  package init(index: Int) {
    self.index = min(max(index, Self.range.lowerBound), Self.range.upperBound)
  }

  /// The month that contains a time in seconds since 2001-01-01.
  package init(seconds: Double) {
    let whole = Int64(min(max(seconds.rounded(.down), -1e12), 1e12))
    guard let text = ReferenceDate.iso8601(seconds: whole) else {
      self.init(index: seconds < 0 ? Int.min : Int.max)
      return
    }
    self.init(text: String(text.prefix(7)))
  }

  /// Parses a month such as `2026-04`; returns `nil` for any other text.
  package init?(iso8601 text: String) {
    guard ReferenceDate.seconds(iso8601: text + "-01") != nil else { return nil }
    self.init(text: text)
  }

  private init(text: String) {
    let parts = text.split(separator: "-").map { Int($0) ?? 0 }
    self.init(index: (parts[0] - 2_001) * 12 + parts[1] - 1)
  }

  /// The month as text, such as `2026-04`.
  package var iso8601: String {
    let months = index + 2_001 * 12
    return (months / 12).digits(4) + "-" + (months % 12 + 1).digits(2)
  }

  /// The start of the month, in seconds since 2001-01-01.
  package var seconds: Double {
    Double(ReferenceDate.seconds(iso8601: iso8601 + "-01") ?? 0)
  }
}
