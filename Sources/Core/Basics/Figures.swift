/// Formats numbers for human readers, independent of the locale.
package enum Figures {
  /// The rounding of a size or a time.
  package enum Rounding: Sendable {
    /// About three digits, so that values in a column align: `4.00 KB`, `5,910 s`.
    case aligned
    /// Three significant digits without trailing zeros, for prose: `4 KB`, `98.5 min`.
    case significant
    /// The precision of an estimate: `4.0 KB`; times are rounded up to whole seconds, minutes or
    /// hours.
    case rough
  }

  /// Formats a size in bytes; as in workload files, 1 KB is 1,024 bytes.
  package static func bytes(_ value: Double, _ rounding: Rounding = .aligned) -> String {
    switch rounding {
    case .aligned: aligned(value, Scale.bytes)
    case .significant: significant(value, Scale.bytes)
    case .rough: rough(value)
    }
  }

  package static func bytes(_ value: Int64, _ rounding: Rounding = .aligned) -> String {
    bytes(Double(value), rounding)
  }

  /// Formats a time in seconds.
  package static func seconds(_ value: Double, _ rounding: Rounding = .aligned) -> String {
    switch rounding {
    case .aligned: aligned(value, Scale.seconds)
    case .significant: significant(value, Scale.seconds + [Scale(name: "min", factor: 60)])
    case .rough:
      value < 1 ? "1 s" : value >= 360_000 ? "more than 100 h" : upward(value, ["s", "min", "h"])
    }
  }

  /// Rounds a time up to whole seconds (below 90 seconds), whole minutes (below 90 minutes) or
  /// whole hours.
  package static func upward(_ seconds: Double, _ units: [String]) -> String {
    if seconds < 90 { return "\(Int(seconds.rounded(.up))) \(units[0])" }
    if seconds < 5400 { return "\(Int((seconds / 60).rounded(.up))) \(units[1])" }
    return "\(Int((min(seconds, 3.6e8) / 3600).rounded(.up))) \(units[2])"
  }

  /// Formats a time in minutes and seconds, such as `12 min 30 s`; below 90 s in seconds only.
  package static func minutes(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 1e9).rounded())
    guard whole >= 90 else { return "\(whole) s" }
    let rest = whole % 60
    return "\(whole / 60) min" + (rest == 0 ? "" : " \(rest) s")
  }

  private static func aligned(_ value: Double, _ scales: [Scale]) -> String {
    guard let scale = Scale.common(to: [value], among: scales) else { return value.shortest }
    return scale.text(value, decimals: scale.decimals(for: [value])) + " " + scale.name
  }

  private static func significant(_ value: Double, _ scales: [Scale]) -> String {
    let scale = scales.last { abs(value) >= $0.factor * 0.9995 } ?? scales[0]
    return "\(significant(value / scale.factor)) \(scale.name)"
  }

  private static func rough(_ bytes: Double) -> String {
    guard let scale = Scale.bytes.last(where: { bytes >= $0.factor }), scale.factor > 1 else {
      return "\(Int64(bytes)) B"
    }
    let tenths = (bytes / scale.factor * 10).rounded() / 10
    return (tenths >= 10 ? "\(Int(tenths.rounded()))" : "\(tenths)") + " " + scale.name
  }
}

extension Figures {
  /// Formats a whole number with thousands separators, and any other value with its shortest
  /// digits.
  package static func grouped(_ value: Double) -> String {
    guard value >= 0, value < 1e18, value.rounded() == value else { return value.shortest }
    return Int(value).grouped
  }

  /// Formats a value with a fixed number of decimal places and thousands separators.
  package static func fixed(_ value: Double, decimals: Int) -> String {
    let text = plain(value, decimals: decimals)
    let sign = text.prefix { $0 == "-" }
    let parts = text.dropFirst(sign.count).split(separator: ".")
    guard let whole = parts.first, whole.allSatisfy(\.isNumber) else { return text }
    return sign + grouping(whole) + (parts.count > 1 ? "." + parts[1] : "")
  }

  /// Formats a value with a fixed number of decimal places and no thousands separators, for
  /// machines.
  package static func plain(_ value: Double, decimals: Int) -> String {
    let length = withVaList([Int32(decimals), value]) { vsnprintf(nil, 0, "%.*f", $0) }
    return String(unsafeUninitializedCapacity: Int(length) + 1) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { buffer in
        withVaList([Int32(decimals), value]) {
          Int(vsnprintf(buffer.baseAddress, buffer.count, "%.*f", $0))
        }
      }
    }
  }

  /// Formats a value with three significant digits, without trailing zeros after the point.
  package static func significant(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    var decimals = 0
    var scale = 1.0
    while abs(value) * scale < 99.95, decimals < 6, value != 0 {
      decimals += 1
      scale *= 10
    }
    let rounded = Int64((abs(value) * scale).rounded())
    let sign = value < 0 && rounded > 0 ? "-" : ""
    let whole = rounded / Int64(scale)
    guard decimals > 0 else { return sign + String(whole) }
    var fraction = (rounded % Int64(scale)).digits(decimals)
    while fraction.last == "0" { fraction.removeLast() }
    return sign + String(whole) + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// Formats a count with its noun: `1 case`, `2 cases`.
  package static func counted(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil)
    -> String
  {
    "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
  }

  /// Formats a fraction as a percentage; only exactly 0 is shown as 0 %, and only exactly 1 as 100
  /// %.
  package static func part(_ share: Double) -> String {
    switch share {
    case 0: "0 %"
    case 0.995..<1: ">99 %"
    case 0..<0.0005: "<0.1 %"
    default: share.percent
    }
  }

  /// Lists up to `most` names and the number of the others: `a, b and 3 more`.
  package static func few(_ names: [String], most: Int = 4) -> String {
    let separator = names.contains { $0.contains(",") } ? "; " : ", "
    let shown = names.prefix(most).joined(separator: separator)
    return names.count > most ? "\(shown) and \(names.count - most) more" : shown
  }

  /// Formats a fraction as a percentage, with two decimal places below 1 % and one above.
  package static func percent(_ share: Double) -> String {
    let value = share * 100
    return percent(share, decimals: value < 1 ? 2 : value < 100 ? 1 : 0)
  }

  /// Formats a fraction as a percentage with a fixed number of decimal places.
  package static func percent(_ share: Double, decimals: Int) -> String {
    fixed(share * 100, decimals: decimals) + " %"
  }

  fileprivate static func grouping(_ digits: some StringProtocol) -> String {
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { result.append(",") }
      result.append(digit)
    }
    return result
  }
}

extension Figures {
  /// The unit in which a column of values is shown.
  package struct Scale: Hashable, Sendable {
    package var name: String
    package var factor: Double

    /// Units of size, the smallest first.
    package static let bytes = [
      Scale(name: "B", factor: 1), Scale(name: "KB", factor: 1024),
      Scale(name: "MB", factor: 1_048_576), Scale(name: "GB", factor: 1_073_741_824),
    ]
    /// Units of time, the smallest first.
    package static let seconds = [
      Scale(name: "µs", factor: 1e-6), Scale(name: "ms", factor: 1e-3), Scale(name: "s", factor: 1),
    ]

    /// The largest unit in which the smallest positive value is at least 1, or `nil` if the values
    /// differ too much to be shown in one unit.
    package static func common(to values: [Double], among scales: [Scale]) -> Scale? {
      let positive = values.filter { $0 > 0 }
      guard let smallest = positive.min(), let largest = positive.max() else { return scales.first }
      guard largest / smallest < 1000 else { return nil }
      return scales.last { smallest / $0.factor >= 1 } ?? scales.first
    }

    /// The number of decimal places that gives the largest value three digits; at least one if the
    /// smallest value has fewer than three digits before the decimal point.
    package func decimals(for values: [Double]) -> Int {
      // Bytes have no decimal places.
      guard self != Scale.bytes.first else { return 0 }
      let scaled = values.map { $0 / factor }.filter { $0 > 0 }
      guard let smallest = scaled.min(), let largest = scaled.max() else { return 0 }
      let most = min(max(3 - Scale.digits(largest), 0), 3)
      return Scale.digits(smallest) < 3 ? max(most, 1) : most
    }

    package func text(_ value: Double, decimals: Int) -> String {
      Figures.fixed(value / factor, decimals: decimals)
    }

    // The number of digits before the decimal point; 0 for 0.5, -1 for 0.05.
    private static func digits(_ value: Double) -> Int {
      var (digits, power) = (-1, 0.1)
      while power <= value, digits < 20 {
        digits += 1
        power *= 10
      }
      return digits
    }
  }
}

extension BinaryInteger {
  /// The number with thousands separators.
  package var grouped: String {
    (self < 0 ? "-" : "") + Figures.grouping(String(magnitude))
  }
}

extension Double {
  /// The shortest digits that parse to the same value; whole numbers have no decimal point.
  package var shortest: String {
    let text = description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A fraction as a whole percentage, or with one decimal place below 10 %.
  package var percent: String {
    let tenths = (abs(self) * 1000).rounded()
    guard tenths.isFinite, tenths < 1e9 else { return "over 100,000 %" }
    let sign = self < 0 && tenths > 0 ? "-" : ""
    let text =
      tenths < 100
      ? "\(Int(tenths) / 10).\(Int(tenths) % 10)" : Int((abs(self) * 100).rounded()).grouped
    return "\(sign)\(text) %"
  }

  /// The number rounded down to three significant digits, for estimates.
  package var threeDigits: Int {
    guard self < 1e15 else { return 1_000_000_000_000_000 }
    var unit = 1.0
    while self / unit >= 1000 { unit *= 10 }
    return Int((self / unit).rounded(.down) * unit)
  }
}
