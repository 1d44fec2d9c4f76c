import Basics
import Compare
import Foundation
import Reporting
import Runner

/// A live comparison as a page: changes with the intervals that decided, then the numbers.
package struct LivePage {
  private let result: LiveResult
  private let deciding: [ChangeInterval?]

  package init(of result: LiveResult) {
    self.result = result
    deciding = result.decidingIntervals
  }

  /// The page's bytes as text.
  package var html: String { page.html }

  private var page: ReportPage {
    let title = "\(result.head) against \(result.base)"
    let day = result.environment.map { " · \(PageFacts.day(of: $0))" } ?? ""
    var page = ReportPage(
      title: "StoreBench live comparison: \(title)",
      kicker: Inline("StoreBench live comparison · \(title)\(day)"),
      headline: Inline(headline),
      footer: PageFacts.footer(made: "the live comparison")
    )
    page.lead = Inline(
      LiveWords.summary(of: result) + (result.isInterrupted ? "; interrupted." : ".")
    )
    page.facts =
      [
        .init("Compared", Inline(title)),
        .init(
          "Time",
          Inline(
            "\(Figures.minutes(result.seconds)) of a budget of \(Figures.minutes(result.budget))"
          )
        ),
        .init("Seed", Inline("\(result.seed)")),
      ] + (result.environment.map { PageFacts.facts(of: $0) } ?? [])
    var names = SectionNames()
    page.sections = LiveTable.Group.groups(of: result).map { section(of: $0, &names) }
    if let first = page.sections.indices.first {
      page.sections[first].blocks.insert(.note(Inline(reading)), at: 0)
    }
    if let missing { page.sections.append(missing) }
    return page
  }

  private var headline: String {
    let slower = result.cases.compactMap(\.verdict).filter(\.isRegression).count
    let failed = result.cases.filter(\.hasFailed).count
    let count = result.cases.count
    if failed > 0 { return "\(failed) of \(Figures.counted(count, "case")) failed" }
    if slower > 0 { return "\(slower) of \(Figures.counted(count, "case")) got slower" }
    let open = result.cases.compactMap(\.verdict).filter { !$0.isDecided }.count
    if open > 0 {
      return "No case got slower, but for \(open) of \(count) the verdict is 'cannot "
        + "tell'"
    }
    return "No case got slower"
  }

  private func section(
    of group: LiveTable.Group,
    _ names: inout SectionNames
  ) -> ReportPage.Section {
    let cases = zip(result.cases, deciding).filter { $0.0.workload == group.workload }
    let rows = cases.compactMap { found, interval in row(of: found, interval, in: group) }
    let failures = cases.compactMap { found, _ -> Inline? in
      guard case .failed(let cause) = found.finding else { return nil }
      return Inline.strong(group.name(of: found)) + Inline(": \(cause)")
    }
    let margin = result.policy.margin
    let chart =
      rows.isEmpty
      ? []
      : [
        ReportPage.Block.figure(
          ReportPage.Figure(wide: {
            ForestChart(
              title: "Change of time: \(group.workload)",
              rows: rows,
              margin: -margin...margin,
              width: $0
            ).drawing
          })
        )
      ]
    return ReportPage.Section(
      id: names.unique(group.workload),
      heading: Inline(group.workload),
      question: Inline("Does \(result.head) take longer than \(result.base)?"),
      blocks: (group.common.isEmpty
        ? [] : [.note(Inline("Every case: \(group.common.joined(separator: ", "))"))])
        + (failures.isEmpty ? [] : [.points(failures)]) + chart + [.table(table(of: cases, group))]
    )
  }

  private var reading: String {
    let margin = LiveWords.level(result.policy.margin)
    return
      "Time of the head relative to the base. The verdict is based on the interval: 'changed' if "
      + "the interval lies on one side of zero, 'unchanged' if it lies within the margin of "
      + "\(margin). The interval is valid at any stopping time. The table also has the 95 % "
      + "interval of each case."
  }

  private func row(
    of found: LiveCaseResult,
    _ interval: ChangeInterval?,
    in group: LiveTable.Group
  ) -> ForestChart.Row? {
    guard let verdict = found.verdict, let interval, !found.blocks.isEmpty else { return nil }
    return ForestChart.Row(
      label: group.name(of: found),
      change: found.change,
      interval: interval.lower...max(interval.upper, interval.lower),
      verdict: Self.word(verdict)
    )
  }

  static func word(_ verdict: LiveVerdict) -> String {
    switch verdict {
    case .changed(let estimate, _, let isBelowFloor):
      isBelowFloor ? "changed below the floor" : estimate > 0 ? "slower" : "faster"
    case .unchanged: "unchanged"
    case .cannotTell: "cannot tell"
    }
  }

  private func table(
    of cases: [(LiveCaseResult, ChangeInterval?)],
    _ group: LiveTable.Group
  ) -> ReportPage.Table {
    let name = "Table: \(group.workload)"
    return ReportPage.Table(
      name: Inline(name),
      label: name,
      caption: "Change of wall time, head relative to base",
      columns: [
        "Case", "Change", "Deciding interval", "95 % interval", "Verdict", "Blocks",
        "Variation of blocks",
      ],
      rows: cases.map { found, deciding in
        let change = found.blocks.isEmpty ? "–" : LiveWords.change(found.change)
        return ReportPage.Table.Row(
          Inline(group.name(of: found)),
          [
            change, Self.text(deciding), Self.text(found.confidence),
            found.verdict.map(Self.word) ?? "failed", "\(found.blocks.count)",
            found.scatter.map { Figures.percent($0) } ?? "–",
          ].map { Inline($0) }
        )
      }
    )
  }

  private static func text(_ interval: ChangeInterval?) -> String {
    interval.map { "\(LiveWords.change($0.lower)) to \(LiveWords.change($0.upper))" } ?? "–"
  }

  private var missing: ReportPage.Section? {
    let points =
      result.onlyInBase.map { Inline("\($0): only in \(result.base)") }
      + result.onlyInHead.map { Inline("\($0): only in \(result.head)") }
    guard !points.isEmpty else { return nil }
    return ReportPage.Section(
      id: "only-one-side",
      heading: "Cases of one side",
      blocks: [.points(points)]
    )
  }
}

extension LiveCaseResult {
  /// The median change, head over base less 1.
  fileprivate var change: Double { SequentialComparison(of: self).change }

  fileprivate var confidence: ChangeInterval? {
    blocks.isEmpty ? nil : SequentialComparison(of: self).interval
  }
}

extension SequentialComparison {
  fileprivate init(of found: LiveCaseResult) {
    self.init(policy: LivePolicy())
    for block in found.blocks { add(block.logRatio) }
  }

  fileprivate var change: Double { exp(median) - 1 }
}
