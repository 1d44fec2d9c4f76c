import Basics
import Reporting
import Runner

/// An output format of a comparison, as named by `--format`.
package enum ComparisonFormat: String, CaseIterable, Sendable {
  case table, junit, github, markdown, html
}

extension Comparison {
  /// Formats the comparison.
  package func text(as format: ComparisonFormat) -> String {
    switch format {
    case .table: report(.largest).text()
    case .junit: junit
    case .github: annotations
    // A CI job summary combines the output of several tools, so the heading names StoreBench.
    case .markdown: "# StoreBench comparison\n\n" + report().markdown
    case .html: report().html
    }
  }
}

enum CaseFault {
  case failed(String)
  case regressed([MetricComparison])
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

// MARK: GitHub

extension Comparison {
  /// GitHub workflow commands, with an annotation for each case that needs attention.
  private var annotations: String {
    let remedy = updateCommand.map { "; to make a baseline: \($0)" } ?? ""
    let verdict =
      obstacle.map { Self.command("warning", title: "StoreBench cannot tell", $0 + remedy) }
      ?? Self.command("notice", title: "StoreBench", tally.text)
    let cases = workloads.flatMap { workload in
      workload.cases.compactMap(Self.annotation)
        + workload.onlyInBaseline.map {
          Self.command(
            "warning",
            title: $0,
            absence(of: $0) ?? "it is in the baseline, but not in the result"
          )
        }
        + (obstacle == nil ? workload.onlyInCandidate : []).map {
          Self.command("notice", title: $0, "it is not in the baseline yet")
        }
    }
    return verdict
      + causes.map { Self.command("notice", title: "Cause", $0.text) }.joined() + cases.joined()
  }

  private func absence(of id: String) -> String? {
    missingInResult.ids.contains(id) ? MissingCases.word : nil
  }

  private static func annotation(of result: CaseComparison) -> String? {
    switch CaseFault(result) {
    case .failed(let reason): command("error", title: "\(result.id) failed", reason)
    case .regressed(let metrics):
      command("error", title: "\(result.id) regressed", metrics.lines)
    case .undecided(let reason): command("warning", title: result.id, reason)
    case nil: nil
    }
  }

  private static func command(_ name: String, title: String, _ message: String) -> String {
    WorkflowCommand.text(name, title: title, message)
  }
}

// MARK: JUnit

extension Comparison {
  /// JUnit XML, in which cases that failed or whose costs rose are failures.
  private var junit: String {
    let suites = workloads.map { workload in
      JUnitXML.Suite(
        name: workload.workload,
        tests: workload.cases.map(Self.test)
          + workload.onlyInBaseline.map {
            Self.skipped($0, absence(of: $0) ?? "only in the baseline")
          }
          + workload.onlyInCandidate.map { Self.skipped($0, obstacle ?? "not in the baseline yet") }
      )
    }
    // A suite with a single test that reports what affects all cases: the causes, or the reason why
    // nothing could be compared.
    let reasons = (obstacle.map { [$0] } ?? []) + causes.map(\.text)
    guard !reasons.isEmpty || workloads.isEmpty else { return JUnitXML(suites: suites).text }
    let reason = reasons.isEmpty ? tally.text : reasons.joined(separator: "\n")
    let verdict = JUnitXML.Suite(name: "comparison", tests: [Self.skipped("causes", reason)])
    return JUnitXML(suites: [verdict] + suites).text
  }

  private static func test(of result: CaseComparison) -> JUnitXML.Test {
    let outcome: JUnitXML.Outcome =
      switch CaseFault(result) {
      case .failed(let reason): .failure(type: "failed", message: reason)
      case .regressed(let metrics): .failure(type: "regressed", message: metrics.lines)
      case .undecided(let reason): .skipped(reason)
      case nil: .passed
      }
    return JUnitXML.Test(name: result.id, outcome: outcome)
  }

  private static func skipped(_ id: String, _ reason: String) -> JUnitXML.Test {
    JUnitXML.Test(name: id, outcome: .skipped(reason))
  }
}

// MARK: Wording

extension [MetricComparison] {
  /// One line per metric, such as `sqlite.vmSteps rose from 120,000 to 124,001 (budget: 2 % more)`.
  fileprivate var lines: String {
    map { metric in
      let verb = metric.candidate > metric.baseline ? "rose" : "fell"
      let (old, new) = (metric.text(metric.baseline), metric.text(metric.candidate))
      let values =
        metric.candidate == metric.baseline ? "stayed at \(new)" : "\(verb) from \(old) to \(new)"
      return "\(metric.name) \(values)" + (metric.allowance.map { " (\($0))" } ?? "")
    }.joined(separator: "\n")
  }
}

extension MetricComparison {
  var name: String { metric.name }

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

  /// Formats a value of the metric; exact values keep all digits, because they may differ in the
  /// last one.
  func text(_ value: Double) -> String {
    if metric.isExact { return Figures.grouped(value) }
    return metric.unit == .ratio ? Figures.significant(value) : metric.unit.text(value)
  }

  var label: String {
    switch verdict {
    case .improved: "improved"
    case .regressed: "regressed"
    case .withinBudget: "in budget"
    case .unchanged: "unchanged"
    case .cannotTell: "cannot tell"
    case nil: isOfOtherContent ? "content changed" : "shown only"
    }
  }
}

extension Comparison.Tally {
  /// The counts in words, such as `9 costs compared: 1 regressed, 1 improved, 6 unchanged, 1 cannot
  /// tell`, and the cases that were not compared.
  var text: String {
    let allowed = withinBudget > 0 ? ["\(withinBudget) within budget"] : []
    let counts =
      ["\(regressed) regressed", "\(improved) improved"] + allowed
      + ["\(unchanged) unchanged", "\(undecided) cannot tell"]
    var text = "\(Figures.counted(costs, "cost")) compared: " + counts.joined(separator: ", ")
    if changedCases > 0 {
      text += "; content changed in \(changedCases) of \(Figures.counted(cases, "case"))"
    }
    if undecidedCases > 0 {
      text += "; \(undecidedCases) of \(cases) cases cannot be compared"
    }
    if failedCases > 0 { text += "; \(failedCases) of \(cases) cases failed" }
    return text
  }
}
