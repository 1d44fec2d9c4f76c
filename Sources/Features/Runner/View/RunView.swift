import Basics
import Reporting

extension ResultDocument {
  /// The result as people read it: the answers, where they were measured, and a section for each
  /// workload.
  package var report: Report { RunView(of: self).report }

  /// The answers and a table of each workload: what a terminal shows of a run.
  package var brief: Report { RunView(of: self).brief }
}

private struct RunView {
  private let document: ResultDocument
  private let workloads: [WorkloadView]
  /// The pragmas that all workloads set to the same value.
  private let pragmas: [String: String]

  init(of document: ResultDocument) {
    self.document = document
    let shown = document.workloads.map { $0.keeping(variations: false) }
    let dimensions = shown.map { CaseDimensions(of: $0.cases) }
    let series = SeriesNumbers(dimensions)
    workloads = zip(document.workloads, zip(shown, dimensions)).map { whole, view in
      WorkloadView(view.0, view.1, series, variations: whole.keeping(variations: true))
    }
    pragmas = document.workloads.dropFirst()
      .reduce(document.workloads.first?.pragmas ?? [:]) { common, workload in
        common.filter { workload.pragmas[$0.key] == $0.value }
      }
  }

  private var cases: [CaseResult] { document.workloads.flatMap(\.cases) }
  private var isSingle: Bool { document.workloads.count == 1 }

  var report: Report {
    var report = Report(
      kind: "report · \(name)",
      title: headline,
      verdict: verdict,
      tone: document.failedCases.isEmpty ? .plain : .bad,
      facts: store + document.environment.reportFacts(pragmas: pragmas),
      source: "the result"
    )
    report.findings = document.leadingFindings.map { finding in
      let place: Report.Text = "Evidence: \(finding.workload, linkTo: finding.workload)"
      return Report.Finding(
        "\(finding.claim).",
        details: (finding.detail.isEmpty ? [] : ["\(finding.detail)."])
          + [place + ", \(finding.basis)"]
      )
    }
    if !report.findings.isEmpty {
      let levels = document.leadingFindings.compactMap(\.evidence.confidence)
      let level = levels.min().map { "\(Figures.significant($0 * 100)) % " } ?? ""
      report.findingsNote = """
        Numbers in parentheses are \(level)intervals, simultaneous over all pairs of a workload. \
        They are based on the variation between trials of this run on this machine.
        """
    }
    report.sections = workloads.enumerated().map { index, view in
      let previous = index > 0 ? document.workloads[index - 1].store : nil
      return view.section(
        answers: answers(of: view.workload),
        store: store.isEmpty ? (previous == view.workload.store ? "as above" : nil) : "",
        commonPragmas: pragmas
      )
    }
    if !cases.isEmpty { report.sections.append(legend) }
    return report
  }

  var brief: Report {
    var report = Report(
      kind: "report · \(name)",
      title: headline,
      verdict: verdict,
      tone: document.failedCases.isEmpty ? .plain : .bad,
      source: "the result"
    )
    let claims = document.leadingFindings.map { finding -> Report.Text in
      let detail = finding.detail.isEmpty ? "" : ": \(finding.detail)"
      return "\(isSingle ? "" : finding.subject + ": ")\(finding.claim)\(detail)."
    }
    if !claims.isEmpty { report.sections = [.init("", [.list(claims)])] }
    report.sections += workloads.map(\.brief)
    let level = document.leadingFindings.compactMap(\.evidence.confidence).min()
    let intervals =
      level.map { "in parentheses: \(Figures.significant($0 * 100)) % intervals; " } ?? ""
    if !cases.isEmpty {
      report.sections.append(
        .init(
          "",
          [
            .note(
              """
              \(intervals)±: standard deviation of the times; outside: share of the time outside \
              SQLite. --verbose shows all columns, assumptions and notes. This is the storage \
              work under Core Data and SwiftData, not Apple's own code.
              """
            )
          ]
        )
      )
    }
    return report
  }

  /// The folder that all workloads are of, or the only workload.
  private var name: String {
    let names = document.workloads.map(\.workload)
    if names.count == 1, let name = names.first { return name }
    let folders = Set(names.map { $0.split(separator: "/").dropLast().joined(separator: "/") })
    if folders.count == 1, let folder = folders.first, !folder.isEmpty { return folder }
    return Figures.counted(names.count, "workload")
  }

  private var headline: Report.Text {
    guard !cases.isEmpty else { return "No case was run" }
    let failed = document.failedCases.count
    if failed > 0 { return "\(failed) of \(Figures.counted(cases.count, "case")) failed" }
    guard let first = document.leadingFindings.first else {
      return "\(name): \(Figures.counted(cases.count, "case")) measured and verified"
    }
    return "\(isSingle ? "" : "\(first.workload): ")\(first.claim)"
  }

  private var verdict: Report.Text {
    var (passed, lossy, expected, failed) = (0, 0, 0, 0)
    for result in cases {
      switch result.outcome {
      case .passed where !result.losses.isEmpty: lossy += 1
      case .passed: passed += 1
      case .failedAsExpected: expected += 1
      case .failed: failed += 1
      }
    }
    let counts = [
      (passed, "passed"), (lossy, "lossy as expected"), (expected, "refused as expected"),
      (failed, "FAILED"),
    ]
    let text = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let warning: Report.Text? = document.environment.debugWarning.map { ". Caution: " + $0 }
    let workloads = isSingle ? "" : " in \(Figures.counted(document.workloads.count, "workload"))"
    let head = "\(Figures.counted(cases.count, "case"))\(workloads)"
    return Report.Text(text.isEmpty ? head : "\(head): \(text)") + (warning ?? "")
  }

  /// The store that all workloads start from; empty if there are several.
  private var store: [Report.Fact] {
    let stores = Set(document.workloads.map(\.store))
    return stores.count == 1 ? stores.map { .init("Store", $0.text) } : []
  }

  /// What a section says of its workload: the first finding, and those that do not open the report.
  private func answers(of workload: WorkloadResult) -> [Finding] {
    let leading = document.leadingFindings
    let rest = workload.findings.dropFirst().filter { !leading.contains($0) }
    return isSingle ? rest : workload.findings.prefix(1) + rest
  }

  private var legend: Report.Section {
    var names: Set<String> = []
    let columns = workloads.flatMap(\.figures).filter { names.insert($0.column.title).inserted }
    return .init(
      "Meaning of the columns",
      [
        .facts(
          columns.map { .init($0.column.title, Report.Text($0.meaning)) }
            + [.init("–", "not measured, or below the clock's resolution")]
        ),
        .note(
          """
          This measures the storage work under Core Data and SwiftData, not Apple's own code. Only \
          the time inside SQLite and in files carries over to an app.
          """
        ),
      ]
    )
  }
}

extension StoreDescription {
  /// Where it comes from, how large it is, and its largest entities.
  fileprivate var text: Report.Text {
    let most = 4
    let counts = objects.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let shown = counts.prefix(most).map { "\($0.value.grouped) \($0.key)" }
    let rest = counts.count - most
    let parts = [source, seed.map { "seed \($0)" }, Figures.bytes(bytes)].compactMap(\.self)
    return Report.Text(
      (parts + shown + (rest > 0 ? ["\(rest) more entities"] : [])).joined(separator: ", ")
    )
  }
}

/// The section of one workload.
private struct WorkloadView {
  let workload: WorkloadResult
  /// The workload's cases that vary what they assume: below the others, and in no chart.
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

  /// - `store`: its text if the report does not begin with it; `nil` for the workload's own.
  func section(
    answers: [Finding],
    store: Report.Text?,
    commonPragmas: [String: String]
  ) -> Report.Section {
    var section = Report.Section(workload.workload)
    if !workload.question.isEmpty { section.question = Report.Text(workload.question) }
    section.blocks = answers.map { finding in
      .sentence(
        "\(strong: finding.claim + ".")\(finding.detail.isEmpty ? "" : " \(finding.detail).")"
      )
    }
    section.blocks.append(.facts(facts(store: store ?? workload.store.text, commonPragmas)))
    guard !workload.cases.isEmpty else {
      section.blocks.append(.sentence("no case was run"))
      return section
    }
    section.blocks += failures + workload.leads.flatMap { LeadView($0, series).blocks }
    section.blocks +=
      CaseCharts(workload: workload, dimensions: dimensions, series: series)
      .blocks
    section.blocks.append(.table(table))
    section.blocks += ActionTables(workload, parameters).blocks + details
    return section
  }

  /// What failed or differs from what was asked for, and a table of the most important figures.
  var brief: Report.Section {
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
      }
    )
    let leads = workload.leads.flatMap { LeadView($0, series).blocks }
    return .init("", failures + warnings + leads + [.table(table)])
  }

  private func facts(store: Report.Text, _ commonPragmas: [String: String]) -> [Report.Fact] {
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
        \(trials)\(iterations), \(workload.cache)\
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

  /// The reasons of cases without figures.
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
    let tables: [(String, [FigureColumn], Int?)] = [
      ("Phases", FigureColumn.phases(of: workload.cases), nil),
      ("Trials and counters", FigureColumn.trials(of: workload), 0),
    ]
    let folded = tables.compactMap { title, columns, most -> Report.Block? in
      guard !columns.isEmpty else { return nil }
      let rows = workload.cases.indices.map { index in
        parameters.cells(of: workload.cases[index]) + columns.map { $0.cells[index] }
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
  /// The cases with other assumptions, folded.
  fileprivate var otherAssumptions: [Report.Block] {
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

/// The parameters of a workload's cases: shared by all, or a column of tables.
struct CaseParameters {
  /// `name=value` of those that all cases share; a value left to the kind is none.
  let shared: [String]
  let columns: [Report.Column]
  private let names: [String]
  private let isOneColumn: Bool

  /// The most characters of a row's parameters that stay next to the figures on a terminal.
  private static let most = 30

  init(of cases: [CaseResult]) {
    let all = Set(cases.flatMap(\.parameters.keys)).sorted()
    let names = all.filter { name in Set(cases.map { $0.parameters[name] }).count > 1 }
    self.names = names
    shared = all.filter { !names.contains($0) }.compactMap { name in
      cases.first?.parameters[name].flatMap { $0.isEmpty ? nil : "\(name)=\($0)" }
    }
    let width = names.reduce(0) { width, name in
      width + 2
        + ([name]
        + cases.compactMap { $0.parameters[name].map { CaseDimensions.words($0, of: name) } })
        .reduce(0) { max($0, $1.count) }
    }
    isOneColumn = names.isEmpty || width > Self.most
    columns =
      isOneColumn
      ? [.init("Case")]
      : names.map { name in
        let isNumeric = cases.allSatisfy { Double($0.parameters[name] ?? "0") != nil }
        return .init(name, isNumeric ? .number : .text)
      }
  }

  func cells(of result: CaseResult) -> [Report.Cell] {
    guard !isOneColumn else { return [.text(label(of: result))] }
    return names.map { .text(CaseDimensions.words(result.parameters[$0] ?? "", of: $0)) }
  }

  /// What distinguishes a case from the others of its workload.
  func label(of result: CaseResult) -> String {
    let parts = names.compactMap { name in result.parameters[name].map { (name, $0) } }
    return parts.isEmpty ? result.id : CaseDimensions.words(of: parts)
  }
}

/// What must be known to read the figures of cases.
struct CaseNotes {
  /// Facts of all cases.
  let shared: [String]
  /// Facts of some cases, numbered from 1.
  let numbered: [String]
  /// The numbers that each case refers to, such as `1, 3`.
  let references: [String]

  init(of cases: [CaseResult]) {
    let facts = cases.map { result in
      result.behaviours.map(Self.text) + result.notes
        + result.losses.map { "lossy as expected: \($0)" }
    }
    let shared = (facts.first ?? []).unique.filter { fact in
      facts.allSatisfy { $0.contains(fact) }
    }
    let numbered = facts.flatMap(\.self).unique.filter { !shared.contains($0) }
    (self.shared, self.numbered) = (shared, numbered)
    references = facts.map { facts in
      numbered.indices.filter { facts.contains(numbered[$0]) }.map { "\($0 + 1)" }
        .joined(separator: ", ")
    }
  }

  private static func text(of behaviour: Behaviour) -> String {
    let evidence =
      switch behaviour.evidence {
      case .log: "seen in a log of Apple's"
      case .file: "seen in files of Apple's"
      case .documented: "documented by Apple"
      case .assumed: "assumed"
      }
    return "\(behaviour.name)=\(behaviour.value) (\(evidence))"
  }
}
