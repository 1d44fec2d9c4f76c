import Foundation
import Measurement

/// Numbers as a person reads them; no locale takes part.
package enum Quantity {
  /// A whole number with commas between thousands; other values in their shortest digits.
  package static func grouped(_ value: Double) -> String {
    guard value >= 0, value < 1e18, value.rounded() == value else { return value.shortest }
    return grouping(String(Int(value)))
  }

  /// A fixed number of decimals, with commas between thousands.
  package static func fixed(_ value: Double, decimals: Int) -> String {
    let parts = String(format: "%.\(decimals)f", value).split(separator: ".")
    let whole = grouping(parts.first.map(String.init) ?? "0")
    return parts.count > 1 ? "\(whole).\(parts[1])" : whole
  }

  /// A value with the unit that suits it, to about three digits: `12.4 ms`, `41.2 MB`.
  package static func text(_ value: Double, unit: Metric.Unit) -> String {
    switch unit {
    case .seconds, .bytes:
      guard let scale = Scale.common(to: [value], among: Scale.of(unit)) else {
        return value.shortest
      }
      return scale.text(value, decimals: scale.decimals(for: [value])) + " " + scale.name
    case .count, .ratio: return grouped(value)
    }
  }

  private static func grouping(_ digits: String) -> String {
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { result.append(",") }
      result.append(digit)
    }
    return result
  }
}

/// A unit that a column of values is shown in.
struct Scale: Hashable, Sendable {
  var name: String
  var factor: Double

  // As in workload files, 1 KB is 1,024 bytes.
  private static let bytes = [
    Scale(name: "B", factor: 1), Scale(name: "KB", factor: 1024),
    Scale(name: "MB", factor: 1_048_576), Scale(name: "GB", factor: 1_073_741_824),
  ]
  private static let seconds = [
    Scale(name: "µs", factor: 1e-6), Scale(name: "ms", factor: 1e-3), Scale(name: "s", factor: 1),
  ]

  /// The scales of a unit, the finest first; none for what is only counted.
  static func of(_ unit: Metric.Unit) -> [Scale] {
    switch unit {
    case .seconds: seconds
    case .bytes: bytes
    case .count, .ratio: []
    }
  }

  /// The coarsest scale in which the smallest value is at least 1; `nil` for values that are too
  /// far apart to be read in one unit.
  static func common(to values: [Double], among scales: [Scale]) -> Scale? {
    let positive = values.filter { $0 > 0 }
    guard let smallest = positive.min(), let largest = positive.max() else { return scales.first }
    guard largest / smallest < 1000 else { return nil }
    return scales.last { smallest / $0.factor >= 1 } ?? scales.first
  }

  /// Decimals for which the largest value has three digits, and one where the smallest needs it.
  func decimals(for values: [Double]) -> Int {
    // A byte has no tenths.
    guard self != Scale.bytes.first else { return 0 }
    let scaled = values.map { $0 / factor }.filter { $0 > 0 }
    guard let smallest = scaled.min(), let largest = scaled.max() else { return 0 }
    let most = min(max(3 - Scale.digits(largest), 0), 3)
    return Scale.digits(smallest) < 3 ? max(most, 1) : most
  }

  func text(_ value: Double, decimals: Int) -> String {
    Quantity.fixed(value / factor, decimals: decimals)
  }

  // Digits before the point; 0 for 0.5, -1 for 0.05.
  private static func digits(_ value: Double) -> Int {
    var (digits, power) = (-1, 0.1)
    while power <= value, digits < 20 {
      digits += 1
      power *= 10
    }
    return digits
  }
}
