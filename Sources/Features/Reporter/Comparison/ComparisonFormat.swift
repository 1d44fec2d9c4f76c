import Basics
import Compare
import Runner

/// A form that a comparison is written in for other programs.
package protocol ComparisonFormat: Sendable {
  /// The name that `--format` takes.
  static var name: String { get }

  func text(of comparison: Comparison) -> String
}

/// Every form that a comparison is written in, but for the table.
package enum ComparisonCatalogue {
  package static let formats: [any ComparisonFormat] = [
    JUnitComparison(), GitHubAnnotations(), MarkdownSummary(), HTMLComparison(),
  ]

  /// The form of a name, or `nil` for a name that none has.
  package static func format(named name: String) -> (any ComparisonFormat)? {
    formats.first { type(of: $0).name == name }
  }
}

/// What a comparison found wrong with one case.
enum CaseFault {
  case failed(String)
  case regressed([MetricComparison])
  /// Nothing can be said of the case, or of these metrics of it.
  case undecided(String)

  init?(_ result: CaseComparison) {
    switch result.finding {
    case .failed(let reason): self = .failed(reason)
    case .notCompared(let reason): self = .undecided(reason)
    case .compared(let metrics):
      let worse = metrics.filter { $0.verdict == .regressed }
      let unclear = Self.unclear(result)
      if !worse.isEmpty {
        self = .regressed(worse)
      } else if !unclear.isEmpty {
        self = .undecided("cannot tell: " + unclear.joined(separator: "; "))
      } else {
        return nil
      }
    }
  }

  private static func unclear(_ result: CaseComparison) -> [String] {
    [
      ("the values of", result.metrics.filter { $0.verdict == .cannotTell }.map(\.metric), "vary"),
      ("the result lacks", result.metricsOnlyInBaseline.filter(\.isExactCost), ""),
      ("the baseline lacks", result.metricsOnlyInCandidate.filter(\.isExactCost), ""),
    ].filter { !$0.1.isEmpty }.map { start, metrics, end in
      "\(start) \(metrics.map(\.name).joined(separator: ", "))" + (end.isEmpty ? "" : " \(end)")
    }
  }
}

/// A comparison as commands of a GitHub workflow: an annotation for each case that needs a look.
package struct GitHubAnnotations: ComparisonFormat {
  package static let name = "github"

  package init() {}

  package func text(of comparison: Comparison) -> String {
    let remedy = comparison.updateCommand.map { "; to make a baseline: \($0)" } ?? ""
    let verdict =
      comparison.obstacle.map {
        Self.command("warning", title: "StoreBench cannot tell", $0 + remedy)
      }
      ?? Self.command("notice", title: "StoreBench", comparison.tally.text)
    return verdict
      + comparison.causes.map { Self.command("notice", title: "Cause", $0.text) }.joined()
      + comparison.workloads.map { workload in
        let new = comparison.obstacle == nil ? workload.onlyInCandidate : []
        return workload.cases.compactMap(Self.annotation).joined()
          + workload.onlyInBaseline.map {
            Self.command("warning", title: $0, "it is in the baseline, but not in the result")
          }.joined()
          + new.map {
            Self.command("notice", title: $0, "it is not in the baseline yet")
          }.joined()
      }.joined()
  }

  private static func annotation(of result: CaseComparison) -> String? {
    switch CaseFault(result) {
    case .failed(let reason): command("error", title: "\(result.id) failed", reason)
    case .regressed(let metrics):
      command(
        "error",
        title: "\(result.id) regressed",
        metrics.map(\.change).joined(separator: "\n")
      )
    case .undecided(let reason): command("warning", title: result.id, reason)
    case nil: nil
    }
  }

  // Names come from files, and a line of its own would be another command.
  private static func command(_ name: String, title: String, _ message: String) -> String {
    let property = escaped(title).replacing(":", with: "%3A").replacing(",", with: "%2C")
    return "::\(name) title=\(property)::\(escaped(message))\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }
}

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
    if !comparison.causes.isEmpty {
      lines += [""] + comparison.causes.map { "- \(Self.cell($0.text))" }
    }
    let workloads = ComparisonSummary(comparison: comparison).workloads
    if !workloads.isEmpty { lines += [""] + workloads.map { "- \(Self.cell($0))" } }
    lines += comparison.cautions.flatMap {
      ["", "> These times are not comparable: \(Self.cell("\($0)"))."]
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
          row([result.id, $0.name, "", "", "cannot tell: only one of the two results has it"])
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

extension MetricComparison {
  /// `sqlite.vmSteps rose from 120,000 to 124,001`, with what would have been allowed.
  var change: String {
    let verb = candidate > baseline ? "rose" : candidate < baseline ? "fell" : "stayed"
    let values =
      candidate == baseline
      ? "at \(text(candidate))" : "from \(text(baseline)) to \(text(candidate))"
    return "\(metric.name) \(verb) \(values)" + (allowance.map { " (\($0))" } ?? "")
  }

  /// What a rise had to stay below, where anything is allowed: the budget, or what is usual.
  var allowance: String? {
    if verdict == .cannotTell { return nil }
    if let usual {
      return "usual range in \(usual.runs) earlier runs: \(text(usual.lower)) to "
        + "\(text(usual.upper))"
    }
    switch budget {
    case .percent(let percent)?: return "budget: \(percent.shortest) % more"
    case .absolute(let growth)?: return "budget: \(text(growth)) more"
    case nil: return nil
    }
  }

  /// A value of the metric; exact ones differ in their last digit, so they are shown to it.
  func text(_ value: Double) -> String {
    metric.isExact ? Figures.grouped(value) : metric.unit.text(value)
  }

  /// What is said of it in a word or two.
  var label: String {
    switch verdict {
    case .improved: "improved"
    case .regressed: "regressed"
    case .withinBudget: "in budget"
    case .unchanged: "unchanged"
    case .cannotTell: "cannot tell"
    case nil: "shown only"
    }
  }
}

extension Comparison.Tally {
  /// `9 costs compared: 1 regressed, 1 improved, 6 unchanged, 1 cannot tell`, and the cases that
  /// were not compared.
  var text: String { sentence(emphasising: { $0 }) }

  /// The same with the regressions emphasised.
  func sentence(emphasising emphasised: (String) -> String) -> String {
    let costs = Figures.counted(costs, "cost")
    let allowed = withinBudget > 0 ? ["\(withinBudget) within budget"] : []
    let counts =
      [emphasised("\(regressed) regressed"), "\(improved) improved"] + allowed
      + ["\(unchanged) unchanged", "\(undecided) cannot tell"]
    var text = "\(costs) compared: " + counts.joined(separator: ", ")
    if undecidedCases > 0 {
      text += "; \(undecidedCases) of \(cases) cases cannot be compared"
    }
    if failedCases > 0 { text += "; " + emphasised("\(failedCases) of \(cases) cases failed") }
    return text
  }
}
