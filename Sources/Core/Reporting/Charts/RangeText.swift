import Basics
import Foundation

/// A value with its interval in one unit: `1.6 s (1.2 to 2.0 s)`.
package enum RangeText {
  package static func text(
    _ value: Double,
    _ low: Double,
    _ high: Double,
    _ quantity: ChartAxis.Quantity
  ) -> String {
    let (factor, unit) = scale(of: value, quantity)
    let decimals = decimals(for: low / factor)
    let texts = [value, low, high].map { Figures.fixed($0 / factor, decimals: decimals) }
    return "\(texts[0]) \(unit) (\(texts[1]) to \(texts[2]) \(unit))"
  }

  /// Two digits of the smallest number, as much as an estimate deserves.
  private static func decimals(for value: Double) -> Int {
    value >= 10 ? 0 : value >= 1 ? 1 : value >= 0.1 ? 2 : 3
  }

  private static func scale(
    of value: Double,
    _ quantity: ChartAxis.Quantity
  ) -> (factor: Double, unit: String) {
    switch quantity {
    case .seconds where value >= 600: return (60, "min")
    case .seconds: return scale(of: value, Figures.Scale.seconds)
    case .bytes, .binaryBytes: return scale(of: value, Figures.Scale.bytes)
    case .count, .change: return (1, "")
    }
  }

  private static func scale(of value: Double, _ scales: [Figures.Scale]) -> (Double, String) {
    let scale = scales.last { value >= $0.factor } ?? scales.first
    return (scale?.factor ?? 1, scale?.name ?? "")
  }
}
