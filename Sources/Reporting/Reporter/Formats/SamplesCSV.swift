import Basics
import Measurement

/// Every measurement on a row of its own; trials and iterations count from 1.
package struct SamplesCSV: ReportFormat {
  package static let name = "samples-csv"

  private struct Row {
    var of: CaseSample
    var trial: Int
    var iteration: Int
    var value: Double
  }

  private static let table = CSVTable<Row>(
    columns: CaseSample.columns { $0.of } + [
      .init("trial") { "\($0.trial)" },
      .init("iteration") { "\($0.iteration)" },
      .init("value") { $0.value.shortest },
    ]
  )

  package init() {}

  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    let table = SamplesCSV.table
    try sink(table.header)
    for sample in CaseSample.all(of: document) {
      for (trial, values) in sample.sample.trials.enumerated() {
        for (iteration, value) in values.enumerated() {
          let row = Row(of: sample, trial: trial + 1, iteration: iteration + 1, value: value)
          try sink(table.line(of: row))
        }
      }
    }
  }
}
