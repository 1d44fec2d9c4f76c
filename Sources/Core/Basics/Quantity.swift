/// A number with its unit, as written in options and workload files: `30 s`, `100 KB`, `2 %`,
/// `0.5`.
///
/// All of StoreBench uses this grammar. A space before the unit is optional, digits may be grouped
/// (`100_000` or `100,000`), and counts may be written `100k` or `1.5M`.
package struct Quantity: Hashable, Sendable {
  /// The dimension of a unit; values are stored in its base unit.
  package enum Dimension: Hashable, Sendable {
    case seconds
    case bytes
    /// A number without a unit, or a fraction.
    case plain
  }

  package let value: Double
  package let dimension: Dimension

  package init(_ value: Double, _ dimension: Dimension) {
    self.value = value
    self.dimension = dimension
  }

  /// The units by spelling, in matching order: a longer suffix such as `ms` comes before `s`.
  ///
  /// 1 KB is 1,024 bytes.
  private static let units: [(suffix: String, factor: Double, dimension: Dimension)] = [
    ("µs", 1e-6, .seconds), ("us", 1e-6, .seconds), ("ms", 1e-3, .seconds), ("s", 1, .seconds),
    ("min", 60, .seconds), ("m", 60, .seconds), ("h", 3600, .seconds),
    ("KB", 1024, .bytes), ("MB", 1_048_576, .bytes), ("GB", 1_073_741_824, .bytes),
    ("KiB", 1024, .bytes), ("MiB", 1_048_576, .bytes), ("GiB", 1_073_741_824, .bytes),
    ("kB", 1024, .bytes), ("kb", 1024, .bytes), ("mb", 1_048_576, .bytes),
    ("gb", 1_073_741_824, .bytes),
    ("B", 1, .bytes), ("%", 0.01, .plain),
  ]

  /// Parses `NUMBER UNIT`; returns `nil` for any other string.
  package init?(_ text: String) {
    let unit = Self.units.first { text.hasSuffix($0.suffix) }
    var number = text.dropLast(unit?.suffix.count ?? 0)
    if unit != nil, number.last == " " { number.removeLast() }
    guard let value = Self.number(number) else { return nil }
    self.init(value * (unit?.factor ?? 1), unit?.dimension ?? .plain)
  }

  private func value(in range: ClosedRange<Double>, plainUnit: Double?) -> Double? {
    guard let factor = dimension == .plain ? plainUnit : 1 else { return nil }
    return range.contains(value * factor) ? value * factor : nil
  }
}

extension Quantity {
  /// Parses a time within a range, in seconds.
  ///
  /// A number without a unit is multiplied by `plainUnit` seconds, or rejected if `plainUnit` is
  /// `nil`.
  package static func seconds(
    _ text: String,
    in range: ClosedRange<Double>,
    plainUnit: Double? = nil
  ) -> Double? {
    guard let quantity = Quantity(text), quantity.dimension != .bytes, !text.hasSuffix("%") else {
      return nil
    }
    return quantity.value(in: range, plainUnit: plainUnit)
  }

  /// Parses a size within a range, rounded to the nearest byte.
  package static func bytes(_ text: String, in range: ClosedRange<Int>) -> Int? {
    guard let quantity = Quantity(text), quantity.dimension == .bytes,
      let bytes = Int(exactly: quantity.value.rounded()), range.contains(bytes)
    else { return nil }
    return bytes
  }

  /// Parses a percentage within a range, with or without `%`, and returns it as a fraction of 1.
  package static func share(_ text: String, in range: ClosedRange<Double>) -> Double? {
    guard let quantity = Quantity(text), quantity.dimension == .plain else { return nil }
    let share = text.hasSuffix("%") ? quantity.value : quantity.value / 100
    return range.contains(share) ? share : nil
  }

  /// Parses a whole number within a range; the suffixes `k` and `M` stand for thousands and
  /// millions.
  package static func count(_ text: some StringProtocol, in range: ClosedRange<Int>) -> Int? {
    let factor = ["k": 1e3, "K": 1e3, "M": 1e6][text.last.map(String.init) ?? ""]
    let count =
      if let factor {
        number(text.dropLast()).flatMap { Int(exactly: $0 * factor) }
      } else {
        digits(text, groupedBy: "_,").flatMap { Int($0) }
      }
    return count.flatMap { range.contains($0) ? $0 : nil }
  }
}

extension Quantity {
  private static func number(_ text: some StringProtocol) -> Double? {
    guard let number = digits(text, groupedBy: "_,").flatMap({ Double($0) }), number.isFinite
    else { return nil }
    return number
  }

  /// Returns a decimal number without its digit grouping marks, or `nil` if the string is not a
  /// number.
  ///
  /// A mark must be between digits, and a comma must precede exactly three digits: `1,5` is not 15.
  package static func digits(_ text: some StringProtocol, groupedBy marks: String) -> String? {
    let text = Array(text.utf8)
    let isDigit = { (index: Int) in text.indices.contains(index) && (48...57).contains(text[index])
    }
    var digits: [UInt8] = []
    for (index, byte) in text.enumerated() {
      if marks.utf8.contains(byte) {
        guard isDigit(index - 1), isDigit(index + 1) else { return nil }
        if byte == UInt8(ascii: ",") {
          guard isDigit(index + 2), isDigit(index + 3), !isDigit(index + 4) else { return nil }
        }
      } else {
        guard "0123456789.+-eE".utf8.contains(byte) else { return nil }
        digits.append(byte)
      }
    }
    return digits.contains { (48...57).contains($0) }
      ? String(decoding: digits, as: UTF8.self) : nil
  }
}
