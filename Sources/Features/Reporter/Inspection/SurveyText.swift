import Basics
import DataModel
import Inspector

/// Figures of a survey in as few columns as say enough.
enum SurveyText {
  /// A count with commas, or in millions where that is shorter: `560,000`, `13.4 M`.
  static func count(_ value: Int64) -> String {
    guard value >= 10_000_000 else { return value.grouped }
    return value >= 10_000_000_000
      ? Figures.fixed(Double(value) / 1e9, decimals: 1) + " G"
      : Figures.fixed(Double(value) / 1e6, decimals: 1) + " M"
  }

  static func bytes(_ value: Int64) -> String { Figures.bytes(value) }

  /// A count and the word for what is counted, in the plural where it is not one.
  static func counted(_ value: Int64, _ word: String, _ plural: String? = nil) -> String {
    "\(count(value)) \(value == 1 ? word : plural ?? word + "s")"
  }

  /// A share in whole per cent that never says all or nothing of what is not.
  static func share(_ part: Int64, of whole: Int64) -> String {
    guard whole > 0 else { return "–" }
    guard part > 0 else { return "0%" }
    guard part < whole else { return "100%" }
    let percent = Double(part) / Double(whole) * 100
    if percent < 1 { return "<1%" }
    return "\(min(99, Int(percent.rounded())))%"
  }

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

  /// The least, the median and the most of a distribution, the median only where it has room.
  static func spread(
    _ distribution: DistributionSurvey,
    unit: String = "",
    width: Int,
    _ text: (Double) -> String
  ) -> String {
    let parts = [distribution.minimum, distribution.p50, distribution.maximum].map(text)
    if parts[0] == parts[2] { return "always \(parts[0])\(unit)" }
    let whole = parts.joined(separator: "…") + unit
    return whole.count <= width ? whole : "\(parts[0])…\(parts[2])\(unit)"
  }

  /// A histogram of one line, a block a bin; nothing stands for none.
  static func blocks(_ bins: [Int]) -> String {
    let blocks = Array("▁▂▃▄▅▆▇█")
    guard let most = bins.max(), most > 0 else { return "" }
    return String(
      bins.map { count in
        count == 0 ? " " : blocks[min(blocks.count - 1, count * blocks.count / (most + 1))]
      }
    )
  }
}
