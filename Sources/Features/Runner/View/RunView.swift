import Basics
import Reporting

extension ResultDocument {
  /// The full report, with the answers to the workloads' questions, the environment and a section
  /// for each workload.
  package var report: Report { RunView(of: self).report }

  /// The brief report for a terminal, with the answers to the workloads' questions and a table for
  /// each workload.
  package var brief: Report { RunView(of: self).brief }
}

struct RunView {
  private let document: ResultDocument
  private let workloads: [WorkloadView]
  /// The pragmas that all workloads set to the same value.
  private let pragmas: [String: String]

  init(of measured: ResultDocument) {
    var document = measured
    // The times of a debug build are not evidence, so its report names no winners.
    if document.environment.debugWarning != nil {
      for index in document.workloads.indices {
        document.workloads[index].findings = []
        document.workloads[index].leads = []
      }
    }
    self.document = document
    headlined = document.headline
    choices = CaseDimensions.choices(of: document.workloads.flatMap(\.cases))
    names = CaseDimensions.names(of: document.workloads.flatMap(\.cases))
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
  private let choices: Set<String>
  private let names: Set<String>
  /// The finding used as the title.
  private let headlined: Finding?

  var report: Report {
    var report = Report(
      kind: "report · \(name)",
      title: headline,
      verdict: answer + verdict,
      tone: document.failedCases.isEmpty ? .plain : .bad,
      facts: store + document.environment.reportFacts(pragmas: pragmas),
      source: "the result"
    )
    let opening = workloads.first { $0.workload.workload == headlined?.workload }
    let leading = opening ?? workloads.first
    (report.certainty, report.next) = (certainty, next)
    report.notMeasured = .notOnDevices
    report.lead = leading?.lead(isSingle: isSingle) ?? []
    report.findings = document.leadingFindings.map { finding in
      let place: Report.Text = "Evidence: \(finding.workload, linkTo: finding.workload)"
      let subject = isSingle ? "" : finding.subject.capitalizedFirst + ": "
      return Report.Finding(
        "\(subject)\(words(finding.claim)).",
        details: (finding.detail.isEmpty ? [] : ["\(words(finding.detail))."])
          + [place + ", \(finding.basis)"]
      )
    }
    if !report.findings.isEmpty, let intervals {
      report.findingsNote = """
        Numbers in parentheses are \(intervals), simultaneous over all pairs of a workload. They are \
        based on the variation between trials of this run on this machine.
        """
    }
    report.sections = workloads.enumerated().map { index, view in
      let previous = index > 0 ? document.workloads[index - 1].store : nil
      return view.section(
        answers: answers(of: view.workload),
        store: store.isEmpty ? (previous == view.workload.store ? "as above" : nil) : "",
        commonPragmas: pragmas,
        hasLead: view.workload.workload != leading?.workload.workload
      )
    }
    report.sections += StoreGrowth.groups(of: document.workloads).map(\.section)
    report.sections += missing
    if !cases.isEmpty { report.sections.append(legend) }
    return report
  }

  /// A section with the cases that an interrupted run did not reach; empty if there are no such
  /// cases.
  private var missing: [Report.Section] {
    let blocks = MissingCases(of: document).blocks()
    return blocks.isEmpty ? [] : [.init(MissingCases.title, blocks)]
  }

  var brief: Report {
    var report = Report(
      kind: "report · \(name)",
      title: headline,
      verdict: verdict,
      tone: document.failedCases.isEmpty ? .plain : .bad,
      source: "the result"
    )
    let claims = document.leadingFindings.compactMap(briefClaim)
    if !claims.isEmpty { report.sections = [.init("", [.list(claims)])] }
    report.sections += workloads.map { $0.brief(hasParts: isSingle) }
    report.sections += StoreGrowth.groups(of: document.workloads).map { growth in
      .init("", growth.tables.map { .table($0) })
    }
    report.sections += missing
    let level = intervals.map { "Findings: \($0); " } ?? ""
    if !cases.isEmpty {
      report.sections.append(
        .init(
          "",
          [
            .note(
              """
              \(level)±: standard deviation; outside: time outside SQLite. Storage work, not \
              Apple's own code. All columns and notes: --verbose
              """
            )
          ]
        )
      )
    }
    return report
  }

  /// Returns the text of a finding for the terminal; `nil` if the lines above already contain the
  /// finding.
  private func briefClaim(_ finding: Finding) -> Report.Text? {
    let subject = isSingle ? "" : finding.subject + ": "
    let claim = words(finding.claim)
    if finding == headlined {
      let detail = opening(of: finding, after: subject)
      return detail.isEmpty ? nil : "\(subject)\(detail)."
    }
    if finding == uncertain { return nil }
    let detail = opening(of: finding, after: "\(subject)\(claim): ")
    return "\(subject)\(claim)\(detail.isEmpty ? "" : ": \(detail)")."
  }

  /// The detail of the title's finding, with its numbers.
  private var answer: Report.Text {
    let detail = headlined.map { opening(of: $0, after: "") } ?? ""
    return detail.isEmpty ? "" : "\(sentence(detail)). "
  }

  /// Returns the leading clauses of a finding's detail that fit into two lines after the given
  /// text.
  private func opening(of finding: Finding, after text: String) -> String {
    var opening = ""
    for clause in words(finding.detail).split(separator: "; ") {
      let longer = opening.isEmpty ? String(clause) : "\(opening); \(clause)"
      guard text.count + longer.count <= Self.twoLines else { break }
      opening = longer
    }
    return opening
  }

  /// The number of characters in two terminal lines of a list.
  private static let twoLines = 150

  /// The finding with the shortest statement of what cannot be decided from the samples, other than
  /// the finding in the title; `nil` if there is no such finding.
  private var uncertain: Finding? {
    document.leadingFindings.filter { $0.topic == .cannotTell && $0 != headlined }
      .min { $0.claim.count < $1.claim.count }
  }

  /// Returns the text of a finding in readable words, even if an older version of StoreBench wrote
  /// it.
  private func words(_ text: String) -> String {
    CaseDimensions.words(inText: text, choices: choices)
  }

  /// Capitalizes the first letter of a text, unless it starts with the name of a parameter, entity,
  /// file or user.
  private func sentence(_ text: String) -> String {
    let word = text.prefix { !" ,;:".contains($0) }
    let isName = word.contains("=") || names.contains { $0 != "none" && text.hasPrefix($0 + " ") }
    return isName ? text : text.capitalizedFirst
  }

  /// The workload's name if there is only one workload; otherwise the folder that all workloads
  /// share, or else their number.
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
    guard let headlined else {
      // A refused case has no result, and the result of a lossy case is incomplete.
      let isRight = cases.allSatisfy { $0.outcome == .passed && $0.losses.isEmpty }
      let outcome =
        switch (cases.count, isRight) {
        case (1, true): "The case ran and its result is right"
        case (1, false): "The case ended as expected"
        case (_, true): "All \(cases.count) results are right"
        case (_, false): "All \(cases.count) cases ended as expected"
        }
      // A single case is not compared with anything.
      let isAlone = cases.count == 1 && document.missing.isEmpty
      return Report.Text(isAlone ? outcome : "\(outcome); \(silence)")
    }
    let subject = isSingle ? "" : headlined.subject + ": "
    return Report.Text(sentence(subject + words(headlined.claim)))
  }

  /// The reason why the report has no finding.
  private var silence: String {
    func hasContests(_ isMeant: (CaseResult) -> Bool) -> Bool {
      document.workloads.contains { workload in
        !ContestPlan(workload.cases.filter(isMeant), parameters: []).contests.isEmpty
      }
    }
    // Only a workload whose cases have all run is analyzed.
    if document.plan == nil, !document.missing.isEmpty {
      return "the run was cut off before it could compare cases"
    }
    if !hasContests({ $0.job != nil }) { return "no two cases are ways to do the same work" }
    let incomparable = "no two ways to do the same work have comparable times"
    if !hasContests({ $0.outcome == .passed && $0.job != nil }) { return incomparable }
    if document.environment.debugWarning != nil {
      return "a debug build does not show which is faster"
    }
    if document.workloads.allSatisfy({ $0.trialCount < 2 }) {
      return "a single trial does not show which is faster"
    }
    if !hasContests(\.isComparable) { return incomparable }
    return document.plan == nil
      ? "the samples show no difference" : "the times of a plan's parts are not compared"
  }

  /// The recommended next step.
  private var next: Report.Text {
    if !document.failedCases.isEmpty {
      return "Look at the failed cases, marked ✗ below: what failed has no time."
    }
    if document.environment.debugWarning != nil {
      return "Run it with a release build: the times of this one decide nothing."
    }
    if document.workloads.allSatisfy({ $0.trialCount < 2 }) {
      return "Measure more trials, with \(code: "--trials 5"): a single one decides nothing."
    }
    if document.leadingFindings.isEmpty, document.plan == nil, !document.missing.isEmpty {
      return "Run it again to its end: only a workload whose cases have all run has findings."
    }
    let open = document.leadingFindings.filter { $0.topic == .cannotTell }.map(\.evidence)
    guard let fewest = open.map({ $0.mostTrials ?? $0.trials }).min() else {
      return "Before you decide, run it on a store like yours: \(code: "--store App.sqlite")."
    }
    // After the last look, suggest a number of trials, because a time budget then adds no further
    // trials.
    let last = document.workloads.compactMap(\.looks.last).max() ?? 0
    let further = fewest < last ? "--budget 5m" : "--trials \(max(10, 2 * fewest))"
    return
      "Where the samples cannot tell, choose for other reasons, or measure more with \(code: further)."
  }

  /// The description of the ratios' intervals, such as `98 % intervals`.
  private var intervals: String? {
    document.leadingFindings.compactMap(\.evidence.confidence).min().map {
      "\(Figures.significant($0 * 100)) % intervals"
    }
  }

  /// The number of trials and the certainty of the results.
  private var certainty: Report.Text? {
    let measured = document.workloads.filter { !$0.cases.isEmpty }
    guard let least = measured.map(\.trialCount).min(), let most = measured.map(\.mostTrials).max()
    else { return nil }
    let range = least == most ? "" : "\(least) to "
    let trials = "\(range)\(Figures.counted(most, "trial")) of each case"
    let basis =
      intervals.map { "ratios have \($0), from \(trials) on one machine." }
      ?? (document.leadingFindings.isEmpty
        ? "\(trials); no finding rests on them." : "\(trials), on one machine.")
    return "\(basis.capitalizedFirst) The outcome of every case that passed was verified."
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
      (failed, "FAILED"), (document.missing.count, MissingCases.word),
    ]
    let text = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let warning: Report.Text? = document.environment.debugWarning.map { ". Caution: " + $0 }
    // The result of an interrupted run contains only the workloads that the run has started.
    let isWhole = document.missing.isEmpty
    let workloads =
      isSingle || !isWhole
      ? "" : " in \(Figures.counted(document.workloads.count, "workload"))"
    let whole = isWhole ? "" : "\(cases.count) of "
    let planned = Figures.counted(cases.count + document.missing.count, "case")
    let head = "\(whole)\(planned)\(workloads)"
    let doubt =
      uncertain.map {
        ". " + ((isSingle ? "" : $0.subject + ": ") + words($0.claim)).capitalizedFirst
      }
      ?? ""
    return Report.Text((text.isEmpty ? head : "\(head): \(text)") + doubt) + (warning ?? "")
  }

  /// The store that all workloads start from; empty if there are several stores.
  private var store: [Report.Fact] {
    let stores = Set(document.workloads.map(\.store))
    return stores.count == 1 ? stores.map { .init("Store", $0.text) } : []
  }

  /// Returns the findings to show in a workload's section.
  ///
  /// The first finding is included only if the report has several workloads; further findings are
  /// included unless they are at the top of the report.
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

/// The cases that were not run, because the run was interrupted or because other runs of its plan
/// measure them.
package struct MissingCases: Hashable, Sendable {
  package static let title = "Not run"
  package static let word = "not run"

  package let ids: [String]
  private let isOfPlan: Bool

  package init(of document: ResultDocument) {
    (ids, isOfPlan) = (document.missing, document.plan != nil)
  }

  init(of plan: PlanRecord) {
    (ids, isOfPlan) = (plan.missing.map(\.id), true)
  }

  /// Returns the number of missing cases, a command to run them, and a list of their IDs or of the
  /// given lines; empty if no case is missing.
  package func blocks(_ lines: [String]? = nil) -> [Report.Block] {
    guard !ids.isEmpty else { return [] }
    let count = Figures.counted(ids.count, "case")
    let (all, one) = ids.count == 1 ? ("it", "it") : ("them", "one of them")
    let sentence: Report.Text =
      isOfPlan
      ? "\(count) of the plan did not run; 'run --plan' with '--case' runs \(all):"
      : "The run was cut off before \(count); 'run --filter ID' runs \(one):"
    return [.sentence(sentence), .list((lines ?? ids).map { Report.Text($0) }, .bad, most: 20)]
  }
}

extension StoreDescription {
  /// The source of the store, its size, and its largest entities.
  var text: Report.Text {
    let most = 4
    let counts = objects.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let shown = counts.prefix(most).map { "\($0.value.grouped) \($0.key)" }
    let rest = counts.count - most
    let parts = [source, seed.map { "seed \($0)" }, Figures.bytes(bytes)].compactMap(\.self)
    return Report.Text(
      (parts + shown + (rest > 0 ? [Figures.counted(rest, "more entity", "more entities")] : []))
        .joined(separator: ", ")
    )
  }
}
