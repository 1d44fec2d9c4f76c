import DataModel

/// A month of the Gregorian calendar in UTC, numbered from January 2001 as 0.
package struct CalendarMonth: Hashable, Sendable {
  package let index: Int

  private static let range = -2_001 * 12...(7_998 * 12 + 11)

  package init(index: Int) {
    self.index = min(max(index, Self.range.lowerBound), Self.range.upperBound)
  }

  /// The month of a time in seconds since 2001-01-01.
  package init(seconds: Double) {
    let whole = Int64(min(max(seconds.rounded(.down), -1e12), 1e12))
    guard let text = ReferenceDate.iso8601(seconds: whole) else {
      self.init(index: seconds < 0 ? Int.min : Int.max)
      return
    }
    self.init(text: String(text.prefix(7)))
  }

  /// The month of `2026-04`; `nil` for another text.
  package init?(iso8601 text: String) {
    guard ReferenceDate.seconds(iso8601: text + "-01") != nil else { return nil }
    self.init(text: text)
  }

  private init(text: String) {
    let parts = text.split(separator: "-").map { Int($0) ?? 0 }
    self.init(index: (parts[0] - 2_001) * 12 + parts[1] - 1)
  }

  /// `2026-04`.
  package var iso8601: String {
    let months = index + 2_001 * 12
    let (year, month) = (String(months / 12), String(months % 12 + 1))
    return String(repeating: "0", count: 4 - year.count) + year + (month.count < 2 ? "-0" : "-")
      + month
  }

  /// The first second, since 2001-01-01.
  package var seconds: Double {
    Double(ReferenceDate.seconds(iso8601: iso8601 + "-01") ?? 0)
  }
}
