import Runner

/// A form that a result is written in.
package protocol ReportFormat: Sendable {
  /// The name that `--format` takes.
  static var name: String { get }

  /// Writes the whole report in pieces, so that no format has to hold it in memory.
  func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws
}

extension ReportFormat {
  /// The whole report.
  package func text(of document: ResultDocument) throws -> String {
    var text = ""
    try write(document) { text += $0 }
    return text
  }
}

/// Every form that a result is written in.
package enum ReportCatalogue {
  package static let formats: [any ReportFormat] = [
    ResultTable(), MarkdownReport(), ResultJSON(), SummaryCSV(), SamplesCSV(), HTMLReport(),
    JUnitReport(),
    BencherMetrics(), SmallerIsBetter(), OpenMetricsText(),
  ]

  /// The form of a name, or `nil` for a name that none has.
  package static func format(named name: String) -> (any ReportFormat)? {
    formats.first { type(of: $0).name == name }
  }
}
