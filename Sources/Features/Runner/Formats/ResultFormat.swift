import Basics
import Reporting

/// A form of a result; raw values are the names that `--format` takes.
package enum ResultFormat: String, CaseIterable, Sendable {
  case table, markdown, json, csv
  case samples = "samples-csv"
  case html, junit
  case bencher = "bmf"
  case smallerIsBetter = "customSmallerIsBetter"
  case openMetrics = "openmetrics"
}

extension ResultDocument {
  /// Writes the result in pieces, so that large tables are never in memory as a whole.
  ///
  /// Throws `Refusal` for the JSON and the page of a document that no run can have made.
  package func write(as format: ResultFormat, to sink: (String) throws -> Void) throws {
    switch format {
    case .table: try sink(report.text())
    case .markdown: try sink(report.markdown)
    case .json:
      try check()
      try sink(try jsonText(isPretty: false))
    case .csv: try writeSummary(to: sink)
    case .samples: try writeSamples(to: sink)
    case .html:
      try check()
      try sink(report.html)
    case .junit: try sink(junitText)
    case .bencher: try sink(bencherText())
    case .smallerIsBetter: try sink(smallerIsBetterText())
    case .openMetrics: try writeOpenMetrics(to: sink)
    }
  }

  /// The whole result as text.
  package func text(as format: ResultFormat) throws -> String {
    var text = ""
    try write(as: format) { text += $0 }
    return text
  }
}
