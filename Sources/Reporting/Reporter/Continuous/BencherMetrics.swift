import Foundation
import Measurement

/// A result for Bencher: cases, measures, values (Bencher Metric Format, https://bencher.dev/bmf.json).
///
/// The wall clock is Bencher's own measure `latency`, in nanoseconds; other metrics keep their names
/// and units. A value is the sample's median, its bounds are the smallest and the largest value.
package struct BencherMetrics: ReportFormat {
  package static let name = "bmf"

  private struct Value: Encodable {
    var value: Double
    var lower: Double
    var upper: Double

    private enum CodingKeys: String, CodingKey {
      case value
      case lower = "lower_value"
      case upper = "upper_value"
    }
  }

  /// Bencher refuses longer names.
  private static let longestCase = 1024
  private static let longestMeasure = 64

  package init() {}

  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    var cases: [String: [String: Value]] = [:]
    for sample in CaseSample.all(of: document) {
      guard let summary = sample.sample.summary else { continue }
      let name = String(sample.result.id.prefix(Self.longestCase))
      let (measure, factor) = Self.measure(of: sample.sample.metric)
      cases[name, default: [:]][measure] = Value(
        value: summary.p50 * factor,
        lower: summary.min * factor,
        upper: summary.max * factor
      )
    }
    try sink(try ExchangeJSON.text(of: cases))
  }

  private static func measure(of metric: Metric) -> (name: String, factor: Double) {
    metric == .wallClock ? ("latency", 1e9) : (String(metric.name.prefix(longestMeasure)), 1)
  }
}

/// JSON for other programs: sorted keys, a line a level.
enum ExchangeJSON {
  static func text(of value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}
