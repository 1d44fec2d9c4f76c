import Measurement

/// A comparison as Markdown, for the summary of a CI job.
package struct MarkdownSummary: ComparisonFormat {
  package static let name = "markdown"

  /// Rows of a table; a summary on GitHub may have 1 MiB.
  private static let mostRows = 500

  package init() {}

  package func text(of comparison: Comparison) -> String {
    let rows = comparison.workloads.flatMap(\.cases).flatMap(Self.rows)
    var lines = ["### StoreBench", "", Self.headline(of: comparison)]
    lines += comparison.cautions.flatMap {
      ["", "> Times are of unlike runs: \(Self.cell("\($0)"))."]
    }
    if !rows.isEmpty {
      lines += ["", "| case | metric | baseline | result | verdict |", "|---|---|--:|--:|---|"]
      lines += rows.prefix(Self.mostRows)
      if rows.count > Self.mostRows { lines += ["", "and \(rows.count - Self.mostRows) more"] }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func headline(of comparison: Comparison) -> String {
    let verdicts = comparison.verdicts
    func count(_ verdict: Verdict) -> Int { verdicts.filter { $0 == verdict }.count }
    let cases = comparison.workloads.flatMap(\.cases)
    let failed = cases.filter { if case .failed = $0.finding { true } else { false } }.count
    return
      "\(verdicts.count) exact costs compared: **\(count(.regressed)) regressed**, "
      + "\(count(.improved)) improved, \(count(.unchanged)) unchanged, "
      + "\(count(.cannotTell)) cannot tell; "
      + "\(failed) of \(cases.count) cases failed."
  }

  private static func rows(of result: CaseComparison) -> [String] {
    switch result.finding {
    case .failed(let reason): [row([result.id, "", "", "", "**failed**: \(reason)"])]
    case .notCompared(let reason): [row([result.id, "", "", "", "not compared: \(reason)"])]
    case .compared(let metrics):
      metrics.compactMap { metric in
        guard let verdict = metric.verdict, verdict != .unchanged else { return nil }
        return row([
          result.id, metric.metric.name, Quantity.grouped(metric.baseline),
          Quantity.grouped(metric.candidate), label(of: verdict),
        ])
      }
    }
  }

  private static func label(of verdict: Verdict) -> String {
    switch verdict {
    case .improved: "improved"
    case .regressed: "**regressed**"
    case .unchanged: "unchanged"
    case .cannotTell: "cannot tell"
    }
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.map(cell).joined(separator: " | ") + " |"
  }

  // What comes from a file is text and nothing else: no cell, no tag, no link.
  private static func cell(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("|", with: "\\|").replacing("<", with: "&lt;")
      .replacing("[", with: "\\[").replacing("\n", with: " ").replacing("\r", with: " ")
  }
}
