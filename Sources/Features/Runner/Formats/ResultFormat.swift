import Basics
import Reporting

/// An output format of a result; raw values are the names that `--format` accepts.
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
  /// - Throws: ``Refusal`` for JSON and HTML if the document is inconsistent, so that no run can
  ///   have produced it.
  package func write(as format: ResultFormat, to sink: (String) throws -> Void) throws {
    switch format {
    case .table: try sink(report.text())
    case .markdown: try sink(comment)
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

  /// Returns the whole result as text.
  package func text(as format: ResultFormat) throws -> String {
    var text = ""
    try write(as: format) { text += $0 }
    return text
  }
}

extension ResultDocument {
  private static let sampleColumns = ["workload", "kind", "case", "metric", "unit"]
  /// The columns for the status, direction, parameters and trials, after the columns of values.
  ///
  /// They come last so that the other columns keep their positions for programs that rely on them.
  private static let caseColumns = ["status", "direction", "parameters", "trials"]

  private var axes: [String] {
    let parameters = Set(workloads.flatMap(\.cases).flatMap(\.parameters.keys)).sorted()
    return parameters + workloads.flatMap(\.storeColumns.keys).unique.sorted()
  }

  /// Writes the statistics of every sample, one record per sample; `sd` is empty for a single
  /// value.
  ///
  /// A failed case has one record without a metric.
  func writeSummary(to sink: (String) throws -> Void) throws {
    let axes = axes
    let columns = ["count", "min", "p50", "p90", "p99", "max", "mean", "sd"]
    try sink(CSVRecord.text(Self.sampleColumns + columns + Self.caseColumns + axes) + "\r\n")
    try writeFailures(columns.count, axes, to: sink)
    for sample in measuredSamples {
      // A sample without values has no statistics and therefore no record.
      guard let summary = sample.sample.summary else { continue }
      let numbers = [
        summary.min, summary.p50, summary.p90, summary.p99, summary.max, summary.mean,
      ].map(\.shortest)
      let deviation = summary.standardDeviation?.shortest ?? ""
      let fields = sample.fields + ["\(summary.count)"] + numbers + [deviation]
      try sink(CSVRecord.text(fields + sample.caseFields(axes)) + "\r\n")
    }
  }

  /// Writes every measurement, one record per value; trials and iterations count from 1.
  ///
  /// A failed case has one record without a metric.
  func writeSamples(to sink: (String) throws -> Void) throws {
    let axes = axes
    let columns = ["trial", "iteration", "value"]
    try sink(CSVRecord.text(Self.sampleColumns + columns + Self.caseColumns + axes) + "\r\n")
    try writeFailures(columns.count, axes, to: sink)
    for sample in measuredSamples {
      let ending = sample.caseFields(axes)
      for (trial, values) in sample.sample.trials.enumerated() {
        for (iteration, value) in values.enumerated() {
          let numbers = ["\(trial + 1)", "\(iteration + 1)", value.shortest]
          try sink(CSVRecord.text(sample.fields + numbers + ending) + "\r\n")
        }
      }
    }
  }

  private func writeFailures(
    _ values: Int,
    _ axes: [String],
    to sink: (String) throws -> Void
  ) throws {
    for workload in workloads {
      for result in workload.cases where !result.hasMeasured {
        let names = [workload.workload, workload.kind, result.id].map(\.spreadsheetText)
        let fields =
          names + [String](repeating: "", count: 2 + values)
          + [result.status, "", result.parameterText.spreadsheetText, "0"]
          + result.values(of: axes, workload)
        try sink(CSVRecord.text(fields) + "\r\n")
      }
    }
  }

  var measuredSamples: some Sequence<CaseSample> {
    workloads.lazy.flatMap { workload in
      workload.cases.lazy.filter(\.hasMeasured).flatMap { result in
        result.samples.lazy.map { CaseSample(workload: workload, result: result, sample: $0) }
      }
    }
  }
}

struct CaseSample {
  let workload: WorkloadResult
  let result: CaseResult
  let sample: Sample

  /// The fields at the start of every record.
  ///
  /// Names come from files and may begin like a formula, which a spreadsheet would evaluate, so
  /// they are escaped.
  fileprivate var fields: [String] {
    [
      workload.workload, workload.kind, result.id, sample.metric.name, sample.metric.unit.rawValue,
    ].map(\.spreadsheetText)
  }

  fileprivate func caseFields(_ axes: [String]) -> [String] {
    [
      result.status, sample.metric.direction.rawValue, result.parameterText.spreadsheetText,
      "\(sample.trials.count)",
    ] + result.values(of: axes, workload)
  }
}

extension String {
  fileprivate var spreadsheetText: String {
    first.map { "=+-@\t\r".contains($0) } == true ? "'" + self : self
  }
}

extension WorkloadResult {
  /// The properties that distinguish the stores of a file, by column name, such as `store.Note`.
  fileprivate var storeColumns: [String: String] {
    Dictionary(storeLabels.map { ("store.\($0.name)", $0.value) }) { $1 }
  }
}

extension CaseResult {
  fileprivate var status: String {
    switch outcome {
    case .passed: "passed"
    case .failedAsExpected: "failedAsExpected"
    case .failed: "failed"
    }
  }

  fileprivate var parameterText: String {
    parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
  }

  /// Returns the values of the given columns, with sizes written as in workload files; empty if the
  /// case has no value.
  fileprivate func values(of axes: [String], _ workload: WorkloadResult) -> [String] {
    let stores = workload.storeColumns
    return axes.map { name in
      let value = parameters[name] ?? stores[name] ?? ""
      return (CaseDimensions.isBytes(name) ? Self.size(value) : value).spreadsheetText
    }
  }

  /// Writes `5120` as `5 KB`; a size that is not a whole number of KB stays unchanged.
  private static func size(_ value: String) -> String {
    guard let bytes = Int(value), bytes >= 1024, bytes.isMultiple(of: 1024) else { return value }
    return bytes.isMultiple(of: 1 << 20) ? "\(bytes >> 20) MB" : "\(bytes >> 10) KB"
  }

  /// Whether the case's values are valid; `false` if its work or verification failed.
  package var hasMeasured: Bool {
    if case .failed = outcome { false } else { true }
  }
}
