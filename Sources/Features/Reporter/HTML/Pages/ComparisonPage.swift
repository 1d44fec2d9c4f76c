import Basics
import Compare
import Reporting
import Runner

/// A comparison with a baseline as a page: what rose, by how much, and what was not compared.
struct ComparisonPage {
  private let comparison: Comparison

  private static let mostBars = 30
  private static let mostRows = 500

  init(of comparison: Comparison) {
    self.comparison = comparison
  }

  var page: ReportPage {
    let day = PageFacts.day(of: comparison.candidate)
    var page = ReportPage(
      title: "StoreBench comparison",
      kicker: Inline("StoreBench comparison · \(day)"),
      headline: Inline(headline),
      footer: PageFacts.footer(made: "the result and its baseline")
    )
    let verdict = comparison.obstacle.map { "Cannot tell: \($0)." } ?? "\(comparison.tally.text)."
    let causes = comparison.causes.map { "\($0.text.capitalizedFirst)." }
    page.lead = Inline(([verdict] + causes).joined(separator: " "))
    page.facts = facts
    var names = SectionNames()
    page.sections = comparison.workloads.filter { !isQuiet($0) }.compactMap {
      section(of: $0, &names)
    }
    let quiet = comparison.workloads.filter(isQuiet)
    if !quiet.isEmpty {
      page.sections.append(
        ReportPage.Section(
          id: names.unique("unchanged"),
          heading: "Unchanged",
          blocks: [.points(quiet.map { Inline("\($0.workload): \(counted($0))") })]
        )
      )
    }
    return page
  }

  private var headline: String {
    let tally = comparison.tally
    if comparison.obstacle != nil { return "Nothing could be compared" }
    if tally.failedCases > 0 {
      return "\(tally.failedCases) of \(Figures.counted(tally.cases, "case")) failed"
    }
    if tally.regressed > 0 { return "\(Figures.counted(tally.regressed, "cost")) rose" }
    if tally.isUndecided { return "No cost rose, but some could not be compared" }
    return tally.improved > 0
      ? "No cost rose, \(tally.improved) fell" : "No cost changed"
  }

  private var facts: [ReportPage.Fact] {
    let baseline = [
      Headline.time(comparison.baseline.startedAt), String(comparison.baseline.commit.prefix(8)),
    ].filter { !$0.isEmpty }
    let result = [
      Headline.time(comparison.candidate.startedAt), String(comparison.candidate.commit.prefix(8)),
    ].filter { !$0.isEmpty }
    let sides: [ReportPage.Fact] = [
      .init("Baseline", Inline(baseline.joined(separator: ", "))),
      .init("Result", Inline(result.joined(separator: ", "))),
    ]
    let update = comparison.updateCommand.map {
      [ReportPage.Fact("To update the baseline", .code($0))]
    }
    return sides + PageFacts.facts(of: comparison.candidate) + (update ?? [])
  }

  private func section(
    of workload: Comparison.Workload,
    _ names: inout SectionNames
  ) -> ReportPage.Section? {
    let changed = changes(of: workload)
    let troubles = troubles(of: workload)
    guard !workload.cases.isEmpty || !troubles.isEmpty else { return nil }
    let sentence = ComparisonSummary(comparison: only(workload)).workloads.first.map {
      String($0.dropFirst(workload.workload.count + 2)).capitalizedFirst + "."
    }
    return ReportPage.Section(
      id: names.unique(workload.workload),
      heading: Inline(workload.workload),
      question: "Did a cost rise?",
      answers: [Inline(sentence ?? "No cost changed."), Inline(counted(workload))],
      blocks: (troubles.isEmpty ? [] : [.points(troubles)]) + chart(of: workload, changed)
        + (changed.isEmpty ? [] : [.table(table(of: workload, changed))])
    )
  }

  /// Whether there is nothing to say of a workload but that nothing changed.
  private func isQuiet(_ workload: Comparison.Workload) -> Bool {
    !workload.cases.isEmpty && changes(of: workload).isEmpty && troubles(of: workload).isEmpty
  }

  private func counted(_ workload: Comparison.Workload) -> String {
    let costs = workload.cases.flatMap(\.metrics).filter { $0.verdict != nil }
    let unchanged = costs.filter { $0.verdict == .unchanged }.count
    return "\(unchanged.grouped) of \(Figures.counted(costs.count, "cost")) unchanged in "
      + "\(Figures.counted(workload.cases.count, "case"))."
  }

  private func only(_ workload: Comparison.Workload) -> Comparison {
    var comparison = comparison
    comparison.workloads = [workload]
    return comparison
  }

  private struct Change {
    let label: String
    let metric: MetricComparison

    /// Result over baseline less 1; `nil` where the baseline is zero.
    var share: Double? { metric.ratio.map { $0 - 1 } }
  }

  /// What changed, and the times that were judged: the largest changes first.
  private func changes(of workload: Comparison.Workload) -> [Change] {
    let prefix = workload.workload + "/"
    let parts = workload.cases.map { result in
      (result.id.hasPrefix(prefix) ? result.id.dropFirst(prefix.count) : result.id[...])
        .split(separator: ",")
    }
    // What all cases have alike tells none from another.
    let shared = parts.dropFirst().reduce(Set(parts.first ?? [])) { $0.intersection($1) }
    let all = zip(workload.cases, parts).flatMap { result, parts -> [Change] in
      let own = parts.filter { parts.count == 1 || !shared.contains($0) }
      let id = own.isEmpty ? "every case" : own.map(Self.short).joined(separator: ", ")
      return result.metrics.filter { $0.usual != nil || ($0.verdict != nil && $0.isChanged) }
        .map { Change(label: id, metric: $0) }
    }
    return all.enumerated().sorted { first, second in
      let sizes = [first, second].map { $0.element.share.map(abs) ?? .infinity }
      return sizes[0] == sizes[1] ? first.offset < second.offset : sizes[0] > sizes[1]
    }.map(\.element)
  }

  /// `strategy=separateEntity` as `separate entity`: narrow charts have room for little more.
  private static func short(_ part: Substring) -> String {
    let pair = part.split(separator: "=", maxSplits: 1)
    guard pair.count == 2, ["operation", "strategy"].contains(pair[0]) else { return String(part) }
    return CaseDimensions.words(String(pair[1]))
  }

  private func chart(of workload: Comparison.Workload, _ changes: [Change]) -> [ReportPage.Block] {
    let rows = changes.prefix(Self.mostBars).compactMap { change -> ForestChart.Row? in
      guard let share = change.share else { return nil }
      let metric = change.metric
      // The result over what is usual: on one side of zero exactly where the verdict is a change.
      let interval = metric.usual.map {
        (metric.candidate / $0.upper - 1)...(metric.candidate / $0.lower - 1)
      }
      return ForestChart.Row(
        label: "\(change.label) · \(metric.metric.name)",
        change: share,
        interval: interval,
        verdict: metric.label
      )
    }
    guard !rows.isEmpty else { return [] }
    let rest = changes.count - rows.count
    let more = rest > 0 ? " The table has \(rest.grouped) more." : ""
    return [
      .figure(
        ReportPage.Figure(wide: {
          ForestChart(
            title: "Changes of \(workload.workload)",
            rows: rows,
            width: $0
          ).drawing
        })
      ),
      .note(
        Inline(
          "Result relative to baseline, the largest changes first. Exact counters have no interval. "
            + "The interval of a time is the result relative to the usual range of earlier "
            + "runs.\(more)"
        )
      ),
    ]
  }

  private func table(of workload: Comparison.Workload, _ changes: [Change]) -> ReportPage.Table {
    let name = "Table: \(workload.workload), \(Figures.counted(changes.count, "change"))"
    let rest = changes.count - Self.mostRows
    return ReportPage.Table(
      name: Inline(name),
      label: name,
      caption: Inline(
        "Changed costs, the largest first"
          + (rest > 0 ? "; \(rest.grouped) more are left out" : "")
      ),
      columns: ["Case", "Metric", "Baseline", "Result", "Change", "Verdict"],
      rows: changes.prefix(Self.mostRows).map { change in
        let metric = change.metric
        let allowance = metric.allowance.map { ", \($0)" } ?? ""
        return ReportPage.Table.Row(
          Inline(change.label),
          [
            metric.metric.name, metric.text(metric.baseline), metric.text(metric.candidate),
            change.share.map(ForestChart.bound) ?? "new", metric.label + allowance,
          ].map { Inline($0) }
        )
      }
    )
  }

  /// Cases that failed or could not be compared.
  private func troubles(of workload: Comparison.Workload) -> [Inline] {
    workload.cases.compactMap { result -> Inline? in
      switch CaseFault(result) {
      case .failed(let reason): .strong(result.id) + Inline(" failed: \(reason)")
      case .undecided(let reason): .strong(result.id) + Inline(": \(reason)")
      case .regressed, nil: nil
      }
    }
      + workload.onlyInBaseline.map { Inline("\($0): only in the baseline") }
      + workload.onlyInCandidate.map { Inline("\($0): only in the result") }
  }
}

/// A comparison as a page that a browser shows without asking the network for anything.
package struct HTMLComparison: ComparisonFormat {
  package static let name = "html"

  package init() {}

  package func text(of comparison: Comparison) -> String {
    ComparisonPage(of: comparison).page.html
  }
}
