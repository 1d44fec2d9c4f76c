import Basics
import Reporting
import Runner

extension Comparison {
  /// The costs that a report lists.
  package enum Rows: Sendable {
    /// The largest rise of each metric, for terminals.
    case largest
    /// All changes, and all times that are judged.
    case changed
    /// All metrics of all cases.
    case all
  }

  /// A report with the verdict, the causes, the changes in each workload, and the cases that could
  /// not be compared.
  package func report(_ rows: Rows = .changed) -> Report {
    let (tally, isBad) = (tally, tally.failedCases + tally.regressed > 0)
    var report = Report(
      kind: "comparison",
      title: Report.Text(headline),
      verdict: Report.Text(obstacle.map { "Cannot tell: \($0)." } ?? "\(tally.text)."),
      tone: isBad ? .bad : obstacle != nil || tally.isUndecided ? .caution : .good,
      source: "the result and its baseline"
    )
    if rows != .largest, obstacle == nil { report.lead = lead }
    (report.certainty, report.next, report.notMeasured) = (certainty, next, notMeasured)
    report.findings = causes.map { .init(Report.Text($0.text.capitalizedFirst)) }
    if rows == .largest || obstacle != nil {
      // Workloads with a rise come first, because they fail the comparison.
      let lines =
        (workloads.filter(\.hasRise) + workloads.filter { !$0.hasRise }).compactMap(\.change)
        + workloads.compactMap(\.unchanged)
      report.sections = [
        .init("Workloads", [.list(lines.map { Report.Text($0) })]), largest, sideBySide,
        .init("Failed or not compared", [.list(workloads.flatMap { $0.troubles(self) })]),
      ]
    } else {
      let loud = workloads.filter { rows == .all || !$0.isQuiet }
      let quiet = workloads.filter { rows != .all && $0.isQuiet }
      report.sections = loud.map { $0.section(rows, of: self) }
      report.sections.append(
        .init("Unchanged", [.list(quiet.map { "\($0.workload): \($0.counted)" })])
      )
    }
    report.sections += missing
    report.sections.append(.init("What was compared", closing(rows)))
    if let updateCommand {
      report.sections.append(.init("To make this result the baseline", [.command(updateCommand)]))
    }
    report.sections.removeAll { $0.blocks.allSatisfy(\.isEmpty) }
    return report
  }

  private var headline: String {
    let tally = tally
    if obstacle != nil {
      return causes.allSatisfy { $0.kind == .build }
        ? "Nothing could be compared" : "The two results measured different work"
    }
    if tally.failedCases > 0 {
      return "\(tally.failedCases) of \(Figures.counted(tally.cases, "case")) failed"
    }
    if tally.regressed > 0 {
      return (changes(.regressed) + changes(.improved)).enumerated().map { place, change in
        (place == 0 ? Figures.counted(change.0, "cost") : "\(change.0)") + " \(change.1)"
      }.joined(separator: ", ")
    }
    let rise =
      tally.withinBudget > 0
      ? "No cost rose beyond its budget, \(tally.withinBudget) within it" : "No cost rose"
    if tally.isUndecided { return rise + ", but some could not be compared" }
    if tally.changedCases > 0 {
      let cases = Figures.counted(tally.changedCases, "case")
      return "No judged cost rose; the content of \(cases) changed"
    }
    if tally.costs == 0 { return "No case has costs to compare" }
    if tally.improved > 0 { return rise + changes(.improved).map { ", \($0.0) \($0.1)" }.joined() }
    return tally.withinBudget > 0 ? rise : "No cost changed"
  }

  /// Returns the number of costs that rose or fell, and the number of times outside their usual
  /// range, each with its wording.
  ///
  /// A time can exceed its usual range and still be below the baseline's time.
  private func changes(_ verdict: Verdict) -> [(Int, String)] {
    let (verb, side) = verdict == .regressed ? ("rose", "above") : ("fell", "below")
    let changed = workloads.flatMap(\.cases).flatMap(\.metrics).filter { $0.verdict == verdict }
    let unusual = changed.count { $0.usual != nil }
    let parts = [
      (changed.count - unusual, verb),
      (unusual, "\(unusual == 1 ? "is" : "are") \(side) the usual range"),
    ]
    return parts.filter { $0.0 > 0 }
  }

  private var missing: [Report.Section] {
    let sides: [(String, MissingCases?)] = [
      ("result", missingInResult), ("baseline", missingInBaseline),
    ]
    return sides.map { side, missing in
      .init("\(MissingCases.title) in the \(side)", missing?.blocks() ?? [])
    }
  }

  private var notMeasured: Report.Text {
    earlier == nil
      ? "Whether it is slower: counters count work, and only 'compare-live' decides times."
      : .notOnDevices
  }

  private var certainty: Report.Text? {
    guard obstacle == nil, tally.costs > 0 else { return nil }
    let times = workloads.flatMap(\.cases).flatMap(\.metrics).count {
      $0.usual != nil && $0.verdict != nil && $0.verdict != .cannotTell
    }
    let exact = tally.costs - tally.undecided - times
    let parts = [
      exact > 0
        ? "\(Figures.counted(exact, "counter")) gave the same number in every trial of a result, so "
          + "each difference means that the work has changed" : nil,
      times > 0
        ? Figures.counted(times, "time or size of memory", "times or sizes of memory")
          + " judged by the usual range of "
          + Figures.counted(earlier?.count ?? 0, "earlier result") : nil,
      tally.undecided > 0
        ? "cannot tell for \(Figures.counted(tally.undecided, "cost")): the values vary between "
          + "trials of one result, or one side lacks them" : nil,
    ].compactMap(\.self)
    return Report.Text(parts.joined(separator: "; ").capitalizedFirst + ".")
  }

  private var lead: [Report.Block] {
    let rows = workloads.flatMap { workload in
      workload.mainChanges.filter { $0.middle.relative.isFinite }.map { middle, cases in
        ForestChart.Row(
          label: "\(workload.workload): \(ChangeWords.name(of: middle.name))",
          change: middle.relative,
          verdict: "\(middle.label) in \(Figures.counted(cases, "case"))",
          tone: middle.tone
        )
      }
    }
    guard !rows.isEmpty else { return [] }
    let most = 24
    let chart = ForestChart(title: "Middle changes by workload", rows: Array(rows.prefix(most)))
    let rest = rows.count > most ? " \(rows.count - most) more are in the tables below." : ""
    return [
      .charts(
        [.init("What changed in each workload", isWide: true, chart)],
        note: """
          The middle change over the cases of a workload, result relative to baseline: at most \
          three costs of each, with what fell among them.\(rest)
          """
      )
    ]
  }

  private var largest: Report.Section {
    let rises = workloads.flatMap(\.cases).flatMap { result in
      result.metrics.filter { $0.verdict == .regressed }.map {
        Change(label: result.id, metric: $0)
      }
    }
    let sorted = rises.sorted { first, second in
      let sizes = (first.metric.relative, second.metric.relative)
      return sizes.0 == sizes.1
        ? (first.label, first.metric.name) < (second.label, second.metric.name)
        : sizes.0 > sizes.1
    }
    var named: Set<String> = []
    let first = sorted.filter { named.insert($0.metric.name).inserted }.prefix(5)
    return .init("Largest rises", [.table(Change.table(Array(first)))])
  }

  private var sideBySide: Report.Section {
    let changes = workloads.flatMap(\.cases).flatMap { result in
      result.metrics.filter(\.isOfOtherContent).sorted {
        ($0.place, $0.name) < ($1.place, $1.name)
      }.prefix(3).map { Change(label: result.id, metric: $0) }
    }
    var section = Report.Section("Content changed")
    guard !changes.isEmpty else { return section }
    let most = 30
    section.blocks = [.table(Change.table(Array(changes.prefix(most))))]
    if changes.count > most {
      section.blocks.append(.note("\((changes.count - most).grouped) more: --all prints them"))
    }
    section.blocks.append(
      .note(
        """
        The work is another one, so these costs are shown and fail only beyond a 'budget' of their \
        workload file.
        """
      )
    )
    return section
  }

  private func closing(_ rows: Rows) -> [Report.Block] {
    let result = candidate.fact("Result")
    guard obstacle == nil else { return [.facts([result])] }
    let warnings = cautions.map { Report.Block.warning("These times are not comparable: \($0).") }
    var notes = [
      "Cannot tell: the values vary between trials of one result, or one result lacks them."
    ]
    // A baseline without a start time is a baseline file, which contains no times.
    if !baseline.startedAt.isEmpty {
      notes.insert(
        earlier?.sentence
          ?? "Times and memory are medians and not judged: between two runs they vary more than by "
          + "most changes.",
        at: 0
      )
    }
    if rows == .largest, tally.costs > 0 { notes.append("All cases and metrics: --all") }
    return [.facts([baseline.fact("Baseline"), result])] + warnings
      + notes.map { .note(Report.Text($0)) }
  }
}

extension Report.Block {
  fileprivate var isEmpty: Bool {
    switch self {
    case .list(let list): list.items.isEmpty
    case .table(let table): table.rows.isEmpty
    default: false
    }
  }
}

extension Environment {
  fileprivate func fact(_ name: String) -> Report.Fact {
    let parts = [
      startTime, source?.shownText ?? "", commit.isEmpty ? "" : "StoreBench \(commit.prefix(8))",
      machine, operatingSystem, "SQLite \(sqliteVersion)",
    ]
    return .init(name, Report.Text(parts.filter { !$0.isEmpty }.joined(separator: ", ")))
  }
}

extension SourceRevision {
  /// The revision in words, such as `1a2b3c4d of feature with changes`.
  fileprivate var shownText: String {
    commit.prefix(8) + (branch.map { " of \($0)" } ?? "") + (isDirty == true ? " with changes" : "")
  }
}

extension EarlierResults {
  fileprivate var sentence: String {
    let counts = Dictionary(leftOut.map { ($0, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
    let list = counts.map { "\($0.value) with a different \($0.key)" }.joined(separator: ", ")
    let rest = list.isEmpty ? "" : " Left out: \(list)."
    guard count >= UsualRange.fewestRuns else {
      return "Times and memory are not judged: this needs \(UsualRange.fewestRuns) earlier results "
        + "of this environment, but there \(count == 1 ? "is" : "are") \(count).\(rest)"
    }
    let names = Self.judged.map(\.name).joined(separator: ", ")
    return "\(names) are judged by the medians of \(Figures.counted(count, "earlier result")) of "
      + "this environment: if nothing has changed, at most 1 comparison in "
      + "\(Int(1 / Self.falseAlarms)) reports a regression of them. Other times are not "
      + "judged.\(rest)"
  }
}

// MARK: Workloads

private struct Change {
  var label: String
  var metric: MetricComparison

  /// A table of changes; the case ID is the last column, because it is long.
  static func table(_ changes: [Change], hasCase: Bool = true) -> Report.Table {
    Report.Table(
      "",
      [.init("Metric")] + ["Baseline", "Result", "Change"].map { Report.Column($0, .number) }
        + [.init("Verdict")] + (hasCase ? [.init("Case", .code)] : []),
      rows: changes.map { change in
        let metric = change.metric
        let allowance = metric.allowance.map { "; \($0)" } ?? ""
        return [
          .text(metric.name), .text(metric.text(metric.baseline)),
          .text(metric.text(metric.candidate)), .text(metric.changeText),
          .text(metric.label + allowance, metric.tone),
        ] + (hasCase ? [.text(change.label)] : [])
      }
    )
  }
}

extension Comparison.Workload {
  fileprivate var isQuiet: Bool { !cases.isEmpty && changes.isEmpty && troubles().isEmpty }

  /// The number of unchanged costs, such as `12 of 14 costs unchanged in 3 cases`.
  fileprivate var counted: String {
    let costs = cases.flatMap(\.metrics).filter { $0.verdict != nil }
    let unchanged = costs.count { $0.verdict == .unchanged }
    return "\(unchanged.grouped) of \(Figures.counted(costs.count, "cost")) unchanged in "
      + Figures.counted(cases.count, "case")
  }

  fileprivate func section(_ rows: Comparison.Rows, of comparison: Comparison) -> Report.Section {
    let (changes, troubles) = (changes, troubles(comparison))
    var section = Report.Section(workload, question: "Did a cost rise?")
    let sentence = change.map { $0.dropFirst(workload.count + 2).description.capitalizedFirst }
    section.blocks = [.sentence("\(sentence ?? stillness). \(counted.capitalizedFirst).")]
    if !troubles.isEmpty { section.blocks.append(.list(troubles)) }
    guard rows == .all else {
      let judged = changes.filter { $0.metric.usual != nil }
      section.blocks += chart(judged) + [.table(byMetric)]
      section.blocks.append(
        .folded(
          "The largest changes, \(min(changes.count, Self.mostListed)) of \(changes.count)",
          [.table(Change.table(Array(changes.prefix(Self.mostListed)))), rest(changes.count)]
            .compactMap(\.self)
        )
      )
      return section
    }
    let prefix = workload + "/"
    for result in cases {
      let name = result.id.hasPrefix(prefix) ? result.id.dropFirst(prefix.count) : result.id[...]
      let lacking = [
        ("baseline", result.metricsOnlyInBaseline), ("result", result.metricsOnlyInCandidate),
      ]
      section.blocks += [
        .heading("\(name)"),
        .table(Change.table(result.metrics.map { Change(label: "", metric: $0) }, hasCase: false)),
      ]
      for (side, metrics) in lacking where !metrics.isEmpty {
        let names = metrics.map(\.name).joined(separator: ", ")
        section.blocks.append(.note("metrics only in the \(side): \(names)"))
      }
    }
    return section
  }

  /// The sentence about a workload in which no cost is known to have changed.
  private var stillness: String {
    let verdicts = cases.flatMap(\.metrics).compactMap(\.verdict)
    if verdicts.allSatisfy({ $0 == .cannotTell }) { return "No cost could be compared" }
    return troubles().isEmpty && !cases.contains(where: \.hasOtherContent)
      ? "No cost changed" : "No cost that could be compared changed"
  }

  private static let mostListed = 40

  private func rest(_ count: Int) -> Report.Block? {
    let rest = count - Self.mostListed
    return rest > 0
      ? .note("\(rest.grouped) more: the format 'table' with --all prints them") : nil
  }

  fileprivate func troubles(_ comparison: Comparison? = nil) -> [Report.Text] {
    let faults = cases.compactMap { result -> Report.Text? in
      switch CaseFault(result) {
      case .failed(let reason): "\(strong: result.id) FAILED: \(reason)"
      case .undecided(let reason): "\(strong: result.id): \(reason)"
      case .regressed, nil: nil
      }
    }
    // Leave out cases that a run did not reach, because they are listed separately.
    let (gone, fresh) = (
      Set(comparison?.missingInResult.ids ?? []), Set(comparison?.missingInBaseline?.ids ?? [])
    )
    let old: [Report.Text] = onlyInBaseline.filter { !gone.contains($0) }.map {
      "\($0): only in the baseline"
    }
    let new: [Report.Text] = onlyInCandidate.filter { !fresh.contains($0) }.map {
      "\($0): only in the result"
    }
    return faults + old + (comparison?.obstacle == nil ? new : [])
  }

  private var changes: [Change] {
    let prefix = workload + "/"
    let parts = cases.map { result in
      (result.id.hasPrefix(prefix) ? result.id.dropFirst(prefix.count) : result.id[...])
        .split(separator: ",")
    }
    let shared = parts.dropFirst().reduce(Set(parts.first ?? [])) { $0.intersection($1) }
    let all = zip(cases, parts).flatMap { result, parts -> [Change] in
      let own = parts.filter { parts.count == 1 || !shared.contains($0) }
      let label = own.isEmpty ? "every case" : own.joined(separator: ", ")
      return result.metrics.filter {
        $0.usual != nil || $0.isOfOtherContent || ($0.verdict != nil && $0.isChanged)
      }
      .map { Change(label: label, metric: $0) }
    }
    return all.enumerated().sorted { first, second in
      let sizes = [first, second].map { abs($0.element.metric.relative) }
      return sizes[0] == sizes[1] ? first.offset < second.offset : sizes[0] > sizes[1]
    }.map(\.element)
  }

  private func chart(_ changes: [Change]) -> [Report.Block] {
    let rows = changes.prefix(30).compactMap { change -> ForestChart.Row? in
      let metric = change.metric
      guard metric.relative.isFinite else { return nil }
      return ForestChart.Row(
        // The metric comes first, because a chart may truncate a long label at its end.
        label: "\(metric.name) · \(change.label)",
        change: metric.relative,
        // The changes relative to the ends of the usual range; the interval excludes zero exactly
        // if the metric's verdict is a change.
        interval: metric.usual.map {
          (metric.candidate / $0.upper - 1)...(metric.candidate / $0.lower - 1)
        },
        verdict: metric.label,
        tone: metric.tone
      )
    }
    guard !rows.isEmpty else { return [] }
    let chart = ForestChart(title: "Changes of \(workload)", rows: rows)
    return [
      .charts(
        [.init("Changes", isWide: true, chart)],
        note: """
          Result relative to baseline, the largest changes first. Exact counters have no interval. \
          The interval of a time is the result relative to the usual range of earlier runs.
          """
      )
    ]
  }
}
