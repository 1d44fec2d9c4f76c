import Basics
import Runner

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

/// A table of RFC 4180: one list of columns gives the header and every row.
struct CSVTable<Row>: Sendable {
  /// A column: its name in the header, and its field of a row.
  struct Column: Sendable {
    var name: String
    var field: @Sendable (Row) -> String

    init(_ name: String, _ field: @escaping @Sendable (Row) -> String) {
      self.name = name
      self.field = field
    }
  }

  var columns: [Column]

  var header: String { line(columns.map(\.name)) }

  func line(of row: Row) -> String { line(columns.map { $0.field(row) }) }

  private func line(_ fields: [String]) -> String { CSVRecord.text(fields) + "\r\n" }
}

/// A sample and the case it belongs to.
struct CaseSample {
  var workload: WorkloadResult
  var result: CaseResult
  var sample: Sample

  /// The samples of a document in its order; those of failed cases count for nothing.
  static func all(of document: ResultDocument) -> some Sequence<CaseSample> {
    document.workloads.lazy.flatMap { workload in
      workload.cases.lazy.filter(\.hasMeasured).flatMap { result in
        result.samples.lazy.map {
          CaseSample(workload: workload, result: result, sample: $0)
        }
      }
    }
  }

  /// The columns that both tables start with.
  static func columns<Row>(_ sample: @escaping @Sendable (Row) -> CaseSample) -> [CSVTable<Row>
    .Column]
  {
    [
      .init("workload") { sample($0).workload.workload },
      .init("kind") { sample($0).workload.kind },
      .init("case") { sample($0).result.id },
      .init("metric") { sample($0).sample.metric.name },
      .init("unit") { sample($0).sample.metric.unit.rawValue },
    ]
  }
}

extension CaseResult {
  /// Whether the values are of work that was verified: a wrong answer has no time.
  var hasMeasured: Bool {
    if case .failed = outcome { false } else { true }
  }
}

/// A record of RFC 4180, without the end of its line.
enum CSVRecord {
  static func text(_ fields: [String]) -> String {
    fields.map(quoted).joined(separator: ",")
  }

  /// The fields of a record on one line; `nil` where a quoted field does not end as it must.
  static func fields(of line: Substring) -> [String]? {
    var fields: [String] = []
    var rest = line.utf8[...]
    while true {
      guard let field = rest.first == quote ? quotedField(&rest) : plainField(&rest) else {
        return nil
      }
      fields.append(field)
      guard let next = rest.first else { return fields }
      guard next == comma else { return nil }
      rest = rest.dropFirst()
    }
  }

  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")

  private static func plainField(_ rest: inout Substring.UTF8View) -> String? {
    let field = rest.prefix { $0 != comma }
    rest = rest[field.endIndex...]
    return String(Substring(field))
  }

  private static func quotedField(_ rest: inout Substring.UTF8View) -> String? {
    var field = ""
    rest = rest.dropFirst()
    while let end = rest.firstIndex(of: quote) {
      field += String(Substring(rest[..<end]))
      rest = rest[rest.index(after: end)...]
      guard rest.first == quote else { return field }
      field += "\""
      rest = rest.dropFirst()
    }
    return nil
  }

  private static func quoted(_ field: String) -> String {
    guard field.utf8.contains(where: isSpecial) else { return field }
    guard field.utf8.contains(quote) else { return "\"\(field)\"" }
    let parts = field.split(separator: "\"", omittingEmptySubsequences: false)
    return "\"" + parts.joined(separator: "\"\"") + "\""
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case comma, quote, UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
    default: false
    }
  }
}
