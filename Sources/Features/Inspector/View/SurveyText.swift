import Basics
import DataModel

/// Values of a survey in few digits.
enum SurveyText {
  /// The day of a date, or the number where it is no date of our calendar.
  static func day(_ seconds: Double) -> String {
    let whole = seconds.rounded(.down)
    guard abs(whole) < 1e15, let text = ReferenceDate.iso8601(seconds: Int64(whole)) else {
      return number(seconds)
    }
    return String(text.prefix(10))
  }

  /// A number with at most four digits that matter.
  static func number(_ value: Double) -> String {
    if value.rounded() == value, abs(value) < 1e7 {
      return value < 0 ? "-" + Figures.grouped(-value) : Figures.grouped(value)
    }
    let size = abs(value)
    if size >= 1e7 || size < 0.001 { return exponential(value) }
    return Figures.fixed(value, decimals: size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4)
  }

  /// A number of things that have no halves, which a median of a sketch may give.
  static func whole(_ value: Double) -> String { number(value.rounded()) }

  private static func exponential(_ value: Double) -> String {
    var (mantissa, exponent) = (abs(value), 0)
    while mantissa >= 10, exponent < 400 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    while mantissa < 1, mantissa > 0, exponent > -400 {
      (mantissa, exponent) = (mantissa * 10, exponent - 1)
    }
    return (value < 0 ? "-" : "") + Figures.fixed(mantissa, decimals: 1) + "e\(exponent)"
  }

  /// The least, the median and the most of a distribution.
  static func spread(
    _ distribution: DistributionSurvey,
    unit: String = "",
    _ text: (Double) -> String
  ) -> String {
    let parts = [distribution.minimum, distribution.p50, distribution.maximum].map(text)
    return (parts[0] == parts[2] ? "always \(parts[0])" : parts.joined(separator: "…")) + unit
  }

  /// A histogram of one line, a block a bin; empty if all values are equal.
  static func shape(_ distribution: DistributionSurvey) -> String {
    distribution.minimum < distribution.maximum ? blocks(distribution.histogram) : ""
  }

  static func blocks(_ bins: [Int]) -> String {
    let blocks = Array("▁▂▃▄▅▆▇█")
    guard let most = bins.max(), most > 0 else { return "" }
    return String(
      bins.map { count in
        // Not a plain space, at which a renderer may break or trim.
        count == 0 ? "\u{2007}" : blocks[min(blocks.count - 1, count * blocks.count / (most + 1))]
      }
    )
  }
}
