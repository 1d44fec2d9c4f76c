import Basics
import Reporting

/// The section of a report for one workload.
struct WorkloadView {
  let workload: WorkloadResult
  /// The cases that vary an assumption, shown in a separate table and in no chart.
  private let variations: WorkloadResult
  let figures: [FigureColumn]
  private let dimensions: CaseDimensions
  private let series: SeriesNumbers
  private let parameters: CaseParameters
  private let notes: CaseNotes

  init(
    _ workload: WorkloadResult,
    _ dimensions: CaseDimensions,
    _ series: SeriesNumbers,
    variations: WorkloadResult
  ) {
    (self.workload, self.dimensions, self.series) = (workload, dimensions, series)
    self.variations = variations
    figures = FigureColumn.columns(of: workload)
    parameters = CaseParameters(of: workload.cases)
    notes = CaseNotes(of: workload.cases)
  }

  /// Returns the section of the workload.
  ///
  /// `store` describes the store; it is empty if the top of the report contains the description,
  /// and `nil` for the workload's own description. If `hasLead` is set, the section contains the
  /// leading chart, because the top of the page does not.
  func section(
    answers: [Finding],
    store: Report.Text?,
    commonPragmas: [String: String],
    hasLead: Bool
  ) -> Report.Section {
    var section = Report.Section(workload.workload)
    if !workload.question.isEmpty { section.question = Report.Text(workload.question) }
    let choices = CaseDimensions.choices(of: workload.cases)
    section.blocks = answers.map { finding in
      let (claim, detail) = (
        CaseDimensions.words(inText: finding.claim, choices: choices),
        CaseDimensions.words(inText: finding.detail, choices: choices)
      )
      return .sentence("\(strong: claim + ".")\(detail.isEmpty ? "" : " \(detail).")")
    }
    let facts = facts(store: store ?? workload.store.text, commonPragmas)
    section.blocks.append(.folded("How it was measured", [.facts(facts)]))
    guard !workload.cases.isEmpty else {
      section.blocks.append(.sentence("no case was run"))
      return section
    }
    section.blocks += failures
    for (index, lead) in workload.leads.enumerated() {
      section.blocks += LeadView(lead, series).blocks(hasChart: hasLead || index > 0)
    }
    section.blocks += MixTable(of: workload)?.blocks ?? []
    section.blocks += charts.blocks(hasLead: hasLead)
    section.blocks.append(
      workload.cases.count > Self.mostShown
        ? .folded("Table of \(workload.cases.count) cases", [.table(table)]) : .table(table)
    )
    section.blocks += ActionTables(workload, parameters).blocks + details
    return section
  }

  /// The maximum number of rows in a table that is not collapsed.
  private static let mostShown = 12
  private static let mostBrief = 40

  private var charts: CaseCharts {
    CaseCharts(workload: workload, dimensions: dimensions, series: series)
  }

  /// Returns the chart that answers the workload's question: the winner map (the fastest
  /// alternative at each size) if there is one, otherwise the times of all cases.
  func lead(isSingle: Bool) -> [Report.Block] {
    let blocks = workload.leads.first.map { LeadView($0, series).chart } ?? charts.lead
    guard !isSingle, case .charts(var figures, let heading, let note) = blocks.first else {
      return blocks
    }
    let name = workload.workload.split(separator: "/").last.map(String.init) ?? ""
    for index in figures.indices {
      let remark = figures[index].remark.map { ", " + $0 } ?? ""
      figures[index].remark = "of \(CaseDimensions.words(name))\(remark)"
    }
    return [.charts(figures, heading: heading, note: note)] + blocks.dropFirst()
  }

  /// Returns a short section with failures, warnings and a table of the most important figures.
  ///
  /// If `hasParts` is set, the section includes the tables of the mix of operations and of the
  /// parts of a scenario, which would be too long in a report of several workloads.
  func brief(hasParts: Bool) -> Report.Section {
    let losses = workload.cases.filter { !$0.losses.isEmpty }.map {
      Report.List.Item(
        .caution,
        .strong(parameters.label(of: $0))
          + ": lossy as expected: \($0.losses.joined(separator: "; "))"
      )
    }
    let notCold = workload.cases.count(where: \.isNotCold)
    let warnings: [Report.Block] =
      (notCold == 0 ? [] : [.warning("\(Figures.counted(notCold, "case")) not cold")])
      + (losses.isEmpty ? [] : [.list(Report.List(losses))])
    guard !workload.cases.isEmpty else {
      return .init(workload.workload, [.sentence("no case was run")])
    }
    let shown = figures.filter { $0.column.title != "Memory outside" }.prefix(5)
    let table = Report.Table(
      "",
      [.init(workload.workload)] + shown.map(\.column),
      rows: workload.cases.indices.map { index in
        [.text(dimensions.label(of: workload.cases[index], isWhole: true))]
          + shown.map { $0.cells[index] }
      },
      most: Self.mostBrief
    )
    let leads = workload.leads.flatMap { LeadView($0, series).blocks(hasChart: true) }
    let mix = hasParts ? MixTable(of: workload).map { [Report.Block.table($0.table)] } ?? [] : []
    let parts = hasParts ? ActionTables(workload, parameters).brief : []
    return .init("", failures + warnings + leads + mix + [.table(table)] + parts)
  }

  private func facts(store: Report.Text, _ commonPragmas: [String: String]) -> [Report.Fact] {
    let most = workload.mostTrials
    let further = most > workload.trialCount ? ", up to \(most) where they did not decide" : ""
    let trials = Figures.counted(workload.trialCount, "trial")
    let iterations =
      workload.iterationCount > 1 ? " of \(workload.iterationCount) iterations" : ""
    let notCold = workload.cases.count(where: \.isNotCold)
    let own = workload.pragmas.filter { commonPragmas[$0.key] != $0.value }
    let facts: [Report.Fact] = [
      .init("Kind", Report.Text(workload.kind)),
      .init(
        "Trials",
        """
        \(trials)\(iterations)\(further), \(workload.cache)\
        \(notCold == 0 ? "" : ", NOT COLD in \(Figures.counted(notCold, "case"))")
        """
      ),
      .init("Store", store),
      .init(
        "Settings",
        Report.Text(own.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ", "))
      ),
      .init("Every case", Report.Text(parameters.shared.joined(separator: ", "))),
    ]
    return facts.filter { !$0.value.plain.isEmpty }
  }

  /// The reasons why cases have no figures.
  private var failures: [Report.Block] {
    let items = (workload.cases + variations.cases).compactMap { result -> Report.List.Item? in
      let label = Report.Text.strong(result.variation ?? parameters.label(of: result))
      switch result.outcome {
      case .passed: return nil
      case .failed(let reason): return .init(.bad, label + ": FAILED: \(reason)")
      case .failedAsExpected(let reason):
        return .init(.good, label + ": refused as expected: \(reason)")
      }
    }
    return items.isEmpty ? [] : [.list(Report.List(items))]
  }

  private var table: Report.Table {
    let hasNotes = notes.references.contains { !$0.isEmpty }
    return Report.Table(
      "",
      parameters.columns + figures.map(\.column) + (hasNotes ? [.init("Note", .number)] : []),
      rows: workload.cases.indices.map { index in
        parameters.cells(of: workload.cases[index]) + figures.map { $0.cells[index] }
          + (hasNotes ? [.text(notes.references[index])] : [])
      }
    )
  }

  private var details: [Report.Block] {
    // Include only cases with phases; most cases of a parameter sweep have no phases.
    let phased = workload.cases.filter { !FigureColumn.phaseNames(of: [$0]).isEmpty }
    let tables: [(String, [CaseResult], [FigureColumn], Int?)] = [
      ("Phases", phased, FigureColumn.phases(of: phased), nil),
      ("Trials and counters", workload.cases, FigureColumn.trials(of: workload), 0),
    ]
    let folded = tables.compactMap { title, cases, columns, most -> Report.Block? in
      guard !columns.isEmpty else { return nil }
      let rows = cases.enumerated().map { index, result in
        parameters.cells(of: result) + columns.map { $0.cells[index] }
      }
      let table = Report.Table(
        "",
        parameters.columns + columns.map(\.column),
        rows: rows,
        most: most
      )
      return .details(title, [.table(table)])
    }
    let facts =
      notes.shared + notes.numbered.enumerated().map { "\($0 + 1): \($1)" }
    return folded + otherAssumptions
      + (facts.isEmpty
        ? []
        : [
          .details("Assumptions and notes: \(facts.count)", [.list(facts.map { Report.Text($0) })])
        ])
  }
}

extension WorkloadView {
  /// A collapsed table of the cases that vary an assumption.
  var otherAssumptions: [Report.Block] {
    guard !variations.cases.isEmpty else { return [] }
    let figures = FigureColumn.columns(of: variations)
    let table = Report.Table(
      "",
      [.init("Assumption")] + parameters.columns + figures.map(\.column),
      rows: variations.cases.enumerated().map { index, result in
        [.text(result.variation ?? "")] + parameters.cells(of: result)
          + figures.map { $0.cells[index] }
      }
    )
    let count = Figures.counted(variations.cases.count, "case")
    return [.details("\(count) with another assumption", [.table(table)])]
  }
}

extension WorkloadResult {
  /// The largest number of trials of any case, which exceeds the number set in the file if there
  /// were extra rounds.
  var mostTrials: Int {
    let timed = cases.compactMap { $0.sample(of: Metric.wallClock.name)?.trials.count }
    return max(trialCount, timed.max() ?? 0)
  }
}
