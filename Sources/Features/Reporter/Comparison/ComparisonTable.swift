import Basics
import Compare
import Reporting
import Runner

/// A comparison as a person reads it: what changed by case, the rest counted.
package struct ComparisonTable: Sendable {
  /// Whether escape sequences may colour the text.
  package var isColoured: Bool
  /// Columns of the terminal, at least 60.
  package var width: Int
  /// Whether unchanged counters and every time get a line of their own.
  package var isComplete: Bool

  package init(isColoured: Bool = false, width: Int = 80, isComplete: Bool = false) {
    self.isColoured = isColoured
    self.width = max(width, 60)
    self.isComplete = isComplete
  }

  /// The verdict, the causes, a line per workload and the largest rises; every case where all are
  /// asked for.
  package func text(of comparison: Comparison) -> String {
    if let obstacle = comparison.obstacle { return text(of: comparison, without: obstacle) }
    let all =
      verdict(of: comparison) + causes(of: comparison)
      + summary(of: comparison)
      + (isComplete ? comparison.workloads.flatMap { [""] + lines(of: $0) } : [])
      + [""] + headline(of: comparison) + closing(of: comparison)
    return all.map { $0 + "\n" }.joined()
  }

  private func text(of comparison: Comparison, without obstacle: String) -> String {
    let hasCause = !comparison.causes.isEmpty
    let verdict = hasCause ? "the two results measured different work" : obstacle
    let text =
      palette.wrapped("cannot tell: \(verdict)", to: width, ink: .yellow)
      + causes(of: comparison) + (hasCause ? palette.wrapped(obstacle, to: width, ink: .faint) : [])
      + comparison.workloads.flatMap(\.cases).flatMap { lines(of: $0, title: $0.id) }
      + side("result", comparison.candidate) + hint(of: comparison)
    return text.map { $0 + "\n" }.joined()
  }

  private func causes(of comparison: Comparison) -> [String] {
    comparison.causes.flatMap { palette.wrapped($0.text, to: width, ink: .bold) }
  }

  private func summary(of comparison: Comparison) -> [String] {
    let summary = ComparisonSummary(comparison: comparison)
    var lines = (summary.workloads + summary.unchanged).flatMap { palette.wrapped($0, to: width) }
    guard !isComplete else { return lines }
    if !summary.largest.isEmpty {
      lines += ["", row("", "baseline", "result", "ratio", "", ink: .faint)]
    }
    lines += summary.largest.flatMap { rows($0.metric) + text($0.caseID, ink: .faint) }
    let others = comparison.workloads.flatMap { workload in
      workload.cases.filter(Self.needsALook).flatMap { self.lines(of: $0, title: $0.id) }
        + missing("only in the baseline", workload.onlyInBaseline)
        + missing("only in the result", workload.onlyInCandidate)
    }
    if !others.isEmpty { lines += [""] + others }
    if comparison.tally.costs > 0 { lines += ["", "All cases and metrics: --all"] }
    return lines
  }

  /// Whether there is more to say of a case than which costs changed.
  private static func needsALook(_ result: CaseComparison) -> Bool {
    guard case .compared(let metrics) = result.finding else { return true }
    return metrics.contains { $0.verdict == .cannotTell } || !result.uncomparedCosts.isEmpty
  }

  private var palette: Palette { Palette(isColoured: isColoured) }

  private func headline(of comparison: Comparison) -> [String] {
    let cautions = comparison.cautions.map { "These times are not comparable: \($0)." }
    return side("baseline", comparison.baseline) + side("result", comparison.candidate)
      + cautions.flatMap { palette.wrapped($0, to: width, ink: .yellow) }
  }

  private func side(_ name: String, _ environment: Environment) -> [String] {
    let facts = [
      Headline.time(environment.startedAt), environment.commit, environment.machine,
      "SQLite \(environment.sqliteVersion)",
    ]
    return TerminalText.labelled(name, facts, separator: " · ", to: width)
  }

  private func lines(of workload: Comparison.Workload) -> [String] {
    let title = [
      palette.paint(TerminalText.shortened(TerminalText.plain(workload.workload), to: width), .bold)
    ]
    let prefix = workload.workload + "/"
    func short(_ id: String) -> String {
      id.hasPrefix(prefix) && id.count > prefix.count ? String(id.dropFirst(prefix.count)) : id
    }
    let isTable = workload.cases.contains { !shown($0.metrics).isEmpty }
    let columns = row("", "baseline", "result", "ratio", "", ink: .faint)
    let quiet = workload.cases.filter(isQuiet)
    return title + (isTable ? [columns] : [])
      + workload.cases.filter { !isQuiet($0) }.flatMap { lines(of: $0, title: short($0.id)) }
      + summary(of: quiet)
      + missing("only in the baseline", workload.onlyInBaseline.map(short))
      + missing("only in the result", workload.onlyInCandidate.map(short))
  }

  /// Whether all that can be said of a case is that none of its counters has changed.
  private func isQuiet(_ result: CaseComparison) -> Bool {
    guard case .compared(let metrics) = result.finding else { return false }
    return shown(metrics).isEmpty && result.metricsOnlyInBaseline.isEmpty
      && result.metricsOnlyInCandidate.isEmpty
  }

  private func summary(of quiet: [CaseComparison]) -> [String] {
    guard !quiet.isEmpty else { return [] }
    let counters = quiet.flatMap(\.metrics).filter { $0.verdict == .unchanged }.count
    let cases = Figures.counted(quiet.count, "case")
    return [palette.paint("  \(cases) unchanged, of \(counters) exact counters", .faint)]
  }

  private func missing(_ label: String, _ ids: [String]) -> [String] {
    ids.isEmpty
      ? [] : TerminalText.labelled("  \(label)", ids, separator: "; ", to: width)
  }

  private func lines(of result: CaseComparison, title: String) -> [String] {
    switch result.finding {
    case .failed(let reason):
      return heading(title) + text("FAILED: \(reason)", ink: .red)
    case .notCompared(let reason):
      return heading(title) + text("not compared: \(reason)", ink: .yellow)
    case .compared(let metrics):
      let shown = shown(metrics)
      return heading(title) + shown.flatMap(rows) + rest(metrics, shown: shown) + lacking(result)
    }
  }

  private func shown(_ metrics: [MetricComparison]) -> [MetricComparison] {
    metrics.filter { isComplete || ComparisonTable.isShown($0) }
  }

  private static func isShown(_ metric: MetricComparison) -> Bool {
    EarlierResults.judged.contains { $0.name == metric.metric.name }
      || (metric.metric.isExact && metric.isChanged)
  }

  private func heading(_ title: String) -> [String] {
    palette.wrapped(title, to: width, indent: 2)
  }

  private func text(_ text: String, ink: Ink) -> [String] {
    palette.wrapped(text, to: width, indent: 4, ink: ink)
  }

  private func rest(_ metrics: [MetricComparison], shown: [MetricComparison]) -> [String] {
    let unchanged =
      metrics.filter { $0.verdict == .unchanged }.count
      - shown.filter { $0.verdict == .unchanged }.count
    guard unchanged > 0 else { return [] }
    return text("\(Figures.counted(unchanged, "exact counter")) unchanged", ink: .faint)
  }

  private func lacking(_ result: CaseComparison) -> [String] {
    [
      ("metrics only in the baseline", result.metricsOnlyInBaseline),
      ("metrics only in the result", result.metricsOnlyInCandidate),
    ].filter { !$0.1.isEmpty }.flatMap {
      text(
        "\($0.0): \($0.1.map(\.name).joined(separator: ", "))",
        ink: $0.1.contains(where: \.isExactCost) ? .yellow : .faint
      )
    }
  }

  private func rows(_ metric: MetricComparison) -> [String] {
    let ratio = metric.ratio.map(ComparisonTable.text) ?? "–"
    let row = row(
      metric.metric.name,
      metric.text(metric.baseline),
      metric.text(metric.candidate),
      ratio,
      metric.verdict == .regressed ? metric.label.uppercased() : metric.label,
      ink: ComparisonTable.ink(of: metric.verdict)
    )
    // An allowance explains a verdict; beside what is unchanged it says what was to be seen.
    let allowance = metric.allowance.map {
      palette.wrapped($0, to: width, indent: 6, ink: .faint)
    }
    return [row] + (allowance ?? [])
  }

  private static func text(of ratio: Double) -> String {
    ratio < 10_000 ? Figures.fixed(ratio, decimals: ratio < 100 ? 3 : 1) : "> 9,999"
  }

  private static func ink(of verdict: Verdict?) -> Ink {
    switch verdict {
    case .improved: .green
    case .regressed: .red
    case .unchanged, .withinBudget: .plain
    case .cannotTell: .yellow
    case nil: .faint
    }
  }

  private func row(
    _ name: String,
    _ baseline: String,
    _ candidate: String,
    _ ratio: String,
    _ verdict: String,
    ink: Ink
  ) -> String {
    let table = TextTable(
      [.left("", width - 54), .right("", 13), .right("", 13), .right("", 8)],
      margin: 4
    )
    let line = table.line([name, baseline, candidate, ratio])
    return verdict.isEmpty ? line : "\(line)  \(palette.paint(verdict, ink))"
  }

  private func verdict(of comparison: Comparison) -> [String] {
    let tally = comparison.tally
    let isBad = tally.failedCases + tally.regressed > 0
    let ink: Ink = isBad ? .red : tally.isUndecided ? .yellow : .green
    return palette.wrapped(tally.text, to: width, ink: ink)
  }

  private func closing(of comparison: Comparison) -> [String] {
    scope(of: comparison).flatMap { palette.wrapped($0, to: width, ink: .faint) }
      + hint(of: comparison)
  }

  /// Not broken into lines: it is there to be copied.
  private func hint(of comparison: Comparison) -> [String] {
    comparison.updateCommand.map { ["To make this result the baseline:", "  \($0)"] } ?? []
  }

  private func scope(of comparison: Comparison) -> [String] {
    let varying =
      "Cannot tell: the values vary between trials of one result, or one result lacks "
      + "them."
    // A baseline has no times.
    guard !comparison.baseline.startedAt.isEmpty else { return [varying] }
    guard let earlier = comparison.earlier else {
      return [
        "Times and memory are medians and not judged: between two runs they vary more than by most "
          + "changes. " + varying
      ]
    }
    return [EarlierText.sentence(of: earlier), varying]
  }

  /// What is said of the earlier results that times were judged by.
  enum EarlierText {
    static func sentence(of earlier: EarlierResults) -> String {
      let names = EarlierResults.judged.map(\.name).joined(separator: ", ")
      let runs = Figures.counted(earlier.count, "earlier result")
      let leftOut = leftOut(earlier.leftOut)
      guard earlier.count >= UsualRange.fewestRuns else {
        return "Times and memory are not judged: this needs \(UsualRange.fewestRuns) earlier "
          + "results of this environment, but there \(earlier.count == 1 ? "is" : "are") "
          + "\(earlier.count).\(leftOut)"
      }
      return "\(names) are judged by the medians of \(runs) of this environment: if nothing has "
        + "changed, at most 1 comparison in \(Int(1 / EarlierResults.falseAlarms)) reports a "
        + "regression of them. Other times are not judged.\(leftOut)"
    }

    /// How many were left out, by the fact in which they differ.
    private static func leftOut(_ facts: [String]) -> String {
      guard !facts.isEmpty else { return "" }
      let counts = Dictionary(facts.map { ($0, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
      let list = counts.map { "\($0.value) with a different \($0.key)" }.joined(separator: ", ")
      return " Left out: \(list)."
    }
  }
}
