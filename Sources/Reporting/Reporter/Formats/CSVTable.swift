import Measurement

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
