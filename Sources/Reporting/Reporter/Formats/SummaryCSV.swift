import Basics
import Measurement

/// The statistics of every sample on a row; `sd` is empty for a single value.
package struct SummaryCSV: ReportFormat {
  package static let name = "csv"

  private struct Row {
    var of: CaseSample
    var summary: Summary
  }

  private static let table = CSVTable<Row>(
    columns: CaseSample.columns { $0.of } + [
      .init("count") { "\($0.summary.count)" },
      .init("min") { $0.summary.min.shortest },
      .init("p50") { $0.summary.p50.shortest },
      .init("p90") { $0.summary.p90.shortest },
      .init("p99") { $0.summary.p99.shortest },
      .init("max") { $0.summary.max.shortest },
      .init("mean") { $0.summary.mean.shortest },
      .init("sd") { $0.summary.standardDeviation?.shortest ?? "" },
    ]
  )

  package init() {}

  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    let table = SummaryCSV.table
    try sink(table.header)
    for sample in CaseSample.all(of: document) {
      // A sample without values has no statistics and therefore no row.
      guard let summary = sample.sample.summary else { continue }
      try sink(table.line(of: Row(of: sample, summary: summary)))
    }
  }
}
