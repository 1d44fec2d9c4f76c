import Basics
import Measurement

/// Numbers as a claim's detail prints them: three digits, in the unit that suits them.
enum Figure {
  static func text(_ value: Double, unit: Metric.Unit) -> String {
    switch unit {
    case .seconds: scaled(value, [(60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs")])
    case .bytes: scaled(value, [(1_073_741_824, "GB"), (1_048_576, "MB"), (1024, "KB"), (1, "B")])
    case .count, .ratio: digits(value)
    }
  }

  static func text(_ quantity: Quantity) -> String {
    switch quantity.dimension {
    case .seconds: text(quantity.value, unit: .seconds)
    case .bytes: text(quantity.value, unit: .bytes)
    case .plain: digits(quantity.value)
    }
  }

  private static func scaled(_ value: Double, _ units: [(size: Double, name: String)]) -> String {
    guard let unit = units.first(where: { abs(value) >= $0.size * 0.9995 }) ?? units.last else {
      return digits(value)
    }
    return "\(digits(value / unit.size)) \(unit.name)"
  }

  /// Three significant digits, without zeros at the end of a fraction.
  static func digits(_ value: Double) -> String {
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
    let part = String(rounded % Int64(scale))
    var fraction = String(repeating: "0", count: decimals - part.count) + part
    while fraction.last == "0" { fraction.removeLast() }
    return sign + String(whole) + (fraction.isEmpty ? "" : "." + fraction)
  }
}
