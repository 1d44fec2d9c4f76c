import Basics
import Measurement

/// A result for github-action-benchmark, as its tool `customSmallerIsBetter` reads it.
///
/// Costs only: of a neutral metric, less is not better. A value is the sample's median, its range
/// the standard deviation.
package struct SmallerIsBetter: ReportFormat {
  package static let name = "customSmallerIsBetter"

  private struct Entry: Encodable {
    var name: String
    var unit: String
    var value: Double
    var range: String?
    var extra: String
  }

  package init() {}

  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    let entries: [Entry] = CaseSample.all(of: document).compactMap { sample in
      let metric = sample.sample.metric
      guard metric.direction == .cost, let summary = sample.sample.summary else { return nil }
      return Entry(
        name: "\(sample.result.id) · \(metric.name)",
        unit: metric.unit.rawValue,
        value: summary.p50,
        range: summary.standardDeviation.map { "± \($0.shortest)" },
        extra: "\(summary.count) values, SQLite \(document.environment.sqliteVersion)"
      )
    }
    try sink(try ExchangeJSON.text(of: entries))
  }
}
