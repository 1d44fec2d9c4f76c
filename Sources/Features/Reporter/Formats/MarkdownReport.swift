import Basics
import Runner

/// A result for a pull request or a wiki: the findings, the winner maps, a table for each workload.
package struct MarkdownReport: ReportFormat {
  package static let name = "markdown"

  package init() {}

  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    let findings = document.leadingFindings
    for (index, finding) in findings.enumerated() {
      let detail = finding.detail.isEmpty ? "" : " \(Self.escaped(finding.detail))."
      try sink(
        "\(index + 1). **\(Self.escaped(finding.claim)).**\(detail)"
          + " *\(Self.escaped(finding.workload)): \(Self.escaped(finding.basis)).*\n"
      )
    }
    for workload in document.workloads {
      try sink("\n## \(Self.escaped(workload.workload))\n")
      if !workload.question.isEmpty { try sink("\n\(Self.escaped(workload.question))\n") }
      for map in workload.leads { try write(map, of: workload, to: sink) }
      try write(workload.cases, to: sink)
    }
  }

  private func write(
    _ map: LeadMap,
    of workload: WorkloadResult,
    to sink: (String) throws -> Void
  ) throws {
    let table = LeadTable(map, of: workload.workload, width: 80)
    try sink("\n\(Self.escaped(table.title)):\n\n")
    try sink(Self.table(titles: LeadTable.titles, rows: table.rows))
    try sink("\n" + table.notes.map { "- \(Self.escaped($0))\n" }.joined())
  }

  private func write(_ cases: [CaseResult], to sink: (String) throws -> Void) throws {
    let rows = cases.map { result -> [String] in
      let text = { (metric: Metric) in
        result.sample(of: metric.name)?.median.map { metric.unit.text($0) } ?? "–"
      }
      let outcome =
        switch result.outcome {
        case .passed: text(.wallClock)
        case .failedAsExpected(let reason): "failed as expected: \(reason)"
        case .failed(let reason): "FAILED: \(reason)"
        }
      let trials = result.sample(of: Metric.wallClock.name)?.trials.count ?? 0
      return [result.id, outcome, text(.firstScreen), text(.peakMemory), "\(trials)"]
    }
    guard !rows.isEmpty else { return }
    try sink("\n" + Self.table(titles: ["case", "time", "screen", "memory", "trials"], rows: rows))
  }

  private static func table(titles: [String], rows: [[String]]) -> String {
    let line = { (cells: [String]) in "| " + cells.joined(separator: " | ") + " |\n" }
    return line(titles) + line(titles.map { _ in "---" })
      + rows.map { line($0.map(escaped)) }.joined()
  }

  /// Text of a file or of a model as Markdown shows it, in one line.
  private static func escaped(_ text: String) -> String {
    let plain = TerminalText.plain(text)
    return plain.reduce(into: "") { result, character in
      switch character {
      case "<": result += "&lt;"
      case "&": result += "&amp;"
      case "\\", "|", "`", "*", "_", "[", "]": result += "\\\(character)"
      default: result.append(character)
      }
    }
  }
}
