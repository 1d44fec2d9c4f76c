import Basics
import Runner

/// The text form of a baseline, for review: the properties on which the costs depend, then one cost
/// per line, all sorted.
///
/// Baselines with equal costs have equal bytes. Lines that begin with `# ` are records of these
/// properties, and lines that begin with `##` are comments for human readers. The table that
/// follows conforms to RFC 4180, except for its line endings.
package enum BaselineCSV {
  static let title = ResultDocument.baselineTitle + " "
  static let version = "1"
  static let columns = ["case", "metric", "unit", "value"]
  static let help =
    "## Exact costs, one per line. To change it: storebench baseline update RESULT"

  /// Returns the baseline as text.
  ///
  /// - Throws: ``Refusal`` if a name has a control character.
  package static func text(of baseline: Baseline) throws -> String {
    let environment = baseline.document.environment
    var lines = [
      title + version, help,
      try fact("sqlite", [environment.sqliteVersion, environment.sqliteSourceID]),
      try fact("options", environment.sqliteCompileOptions),
      try fact("build", [environment.build]),
    ]
    for workload in baseline.document.workloads { lines += try facts(of: workload) }
    lines.append(CSVRecord.text(columns))
    for result in baseline.document.workloads.flatMap(\.cases).sorted(by: { $0.id < $1.id }) {
      for sample in result.samples {
        guard let value = sample.repeatingTotal else { continue }
        let metric = sample.metric
        lines.append(try record([result.id, metric.name, metric.unit.rawValue, value.shortest]))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func facts(of workload: WorkloadResult) throws -> [String] {
    let store = workload.store
    let settings = [
      "cache": workload.cache, "iterations": "\(workload.iterationCount)",
      "seed": "\(workload.seed)",
    ]
    return try [
      fact("workload", [workload.workload, workload.kind]),
      fact("store", [store.source, store.digest]),
      fact("settings", pairs(settings)),
      fact("pragmas", pairs(workload.pragmas)),
      fact("defaults", pairs(workload.defaults)),
    ]
      + workload.inputs.map {
        try fact("input", [$0.role.rawValue, $0.file, $0.digest] + $0.parts)
      }
      + workload.cases.map { result in
        let choices = Dictionary(keepingFirst: result.behaviours.map { ($0.name, $0.value) })
        let outcome = result.outcome == .passed ? passed : failedAsExpected
        return try fact("case", [result.id, outcome, result.digest ?? ""] + pairs(choices))
      }
  }

  static let passed = "passed"
  static let failedAsExpected = "failedAsExpected"

  private static func pairs(_ values: [String: String]) -> [String] {
    values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }

  private static func fact(_ name: String, _ fields: [String]) throws -> String {
    "# " + (try record([name] + fields))
  }

  private static func record(_ fields: [String]) throws -> String {
    for field in fields where field.unicodeScalars.contains(where: { $0.value < 32 }) {
      throw Refusal.unusableField(
        TerminalText.plain(field),
        problem: "has a control character, which a baseline cannot hold",
        place: "the result"
      )
    }
    return CSVRecord.text(fields)
  }
}
