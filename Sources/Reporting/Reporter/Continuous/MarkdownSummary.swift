import Basics
import Measurement

/// A comparison as Markdown, for the summary of a CI job.
package struct MarkdownSummary: ComparisonFormat {
  package static let name = "markdown"

  /// Rows of a table; a summary on GitHub may have 1 MiB.
  private static let mostRows = 500

  package init() {}

  package func text(of comparison: Comparison) -> String {
    let rows = comparison.workloads.flatMap(\.cases).flatMap(Self.rows)
    let sentence = comparison.tally.sentence { "**\($0)**" }
    var lines = ["### StoreBench", "", sentence + "."]
    if let obstacle = comparison.obstacle { lines += ["", "Cannot tell: \(Self.cell(obstacle))."] }
    lines += comparison.cautions.flatMap {
      ["", "> Times are of unlike runs: \(Self.cell("\($0)"))."]
    }
    if !rows.isEmpty {
      lines += ["", "| case | metric | baseline | result | verdict |", "|---|---|--:|--:|---|"]
      lines += rows.prefix(Self.mostRows)
      if rows.count > Self.mostRows { lines += ["", "and \(rows.count - Self.mostRows) more"] }
    }
    if let command = comparison.updateCommand {
      lines += ["", "To make this result the baseline:", "", "    " + TerminalText.plain(command)]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func rows(of result: CaseComparison) -> [String] {
    switch result.finding {
    case .failed(let reason): [row([result.id, "", "", "", "**failed**: \(reason)"])]
    case .notCompared(let reason): [row([result.id, "", "", "", "not compared: \(reason)"])]
    case .compared(let metrics):
      metrics.filter { $0.verdict != nil && $0.verdict != .unchanged }.map { metric in
        row([
          result.id, metric.metric.name, metric.text(metric.baseline),
          metric.text(metric.candidate), label(of: metric),
        ])
      }
        + result.uncomparedCosts.map {
          row([result.id, $0.name, "", "", "cannot tell: only one side has it"])
        }
    }
  }

  private static func label(of metric: MetricComparison) -> String {
    let verdict = metric.verdict == .regressed ? "**\(metric.label)**" : metric.label
    return verdict + (metric.allowance.map { ", \($0)" } ?? "")
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
