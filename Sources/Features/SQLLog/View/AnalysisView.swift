import Basics
import Foundation
import Reporting
import SwiftModels

/// The analysis of logs as a report: the findings and the savings of each fix, then the totals.
///
/// It contains no values from the log.
package struct AnalysisView {
  let analysis: LogAnalysis
  let replay: ReplayReport?
  /// The measurements of proposed indexes for the statements; `nil` if nothing was measured.
  let indexes: IndexProposals?
  /// The counts of the app's actions; `nil` if the log has no markers of actions.
  let actions: ActionCheck?
  private let name: String
  private let ordered: [(fix: Fix, repair: ReplayReport.Repair?)]

  private static let most = 15

  /// Creates the view of an analysis; the logs' names are shown without their folders.
  package init(
    of analysis: LogAnalysis,
    replay: ReplayReport? = nil,
    indexes: IndexProposals? = nil,
    actions: ActionCheck? = nil,
    logs: [String] = []
  ) {
    (self.analysis, self.replay, self.indexes) = (analysis, replay, indexes)
    self.actions = actions
    ordered = Self.ordered(analysis, replay)
    let names = logs.map { URL(fileURLWithPath: $0).lastPathComponent }
    name = names.count == 1 ? names[0] : Figures.counted(names.count, "log")
  }

  package var report: Report {
    let (digest, input) = (analysis.digest, analysis.report)
    let recorded = digest.untimed == digest.calls ? "none" : Self.time(digest.time)
    var report = Report(
      kind: "log analysis · \(name)",
      title: headline,
      verdict: Report.Text(verdict),
      facts: [
        .init("Recorded time", Report.Text(recorded)), .init("Lines", "\(input.lines.grouped)"),
        .init("Statements", "\(digest.calls.grouped)"), .init("Saves", "\(digest.saves.grouped)"),
      ],
      source: "the log"
    )
    (report.certainty, report.next, report.notMeasured) = (certainty, step, notMeasured)
    report.findings = findings
    if !findings.isEmpty {
      report.findingsNote = next
    }
    report.sections = actions?.sections ?? []
    if let indexes { report.sections.append(indexes.section(analysis.vocabulary)) }
    report.sections += replay?.sections ?? []
    report.sections += [statements, entities, saves, self.input].filter { !$0.blocks.isEmpty }
    return report
  }

  // MARK: Headline

  private static func ordered(
    _ analysis: LogAnalysis,
    _ replay: ReplayReport?
  ) -> [(fix: Fix, repair: ReplayReport.Repair?)] {
    // Sort by the savings on the largest store, because an app's data grows.
    let repairs = replay?.sizes.last?.repairs ?? []
    let pairs = analysis.fixes.map { fix in
      let first = fix.group.findings[0]
      let repair = repairs.first { $0.rule == first.rule.rawValue && $0.summary == first.summary }
      return (fix: fix, repair: repair)
    }
    let before = replay?.sizes.last?.counters ?? ReplayReport.Counters()
    func saved(_ place: Int) -> ReplayReport.Rank {
      pairs[place].repair?.rank(from: before) ?? .unknown
    }
    func time(_ place: Int) -> Int {
      pairs[place].fix.group.findings[0].movesWork ? -2 : pairs[place].fix.group.time ?? -1
    }
    return pairs.indices.sorted {
      (saved($1), time($1), $0) < (saved($0), time($0), $1)
    }.map { pairs[$0] }
  }

  private var headline: Report.Text {
    guard let first = ordered.first else {
      return analysis.findings.isEmpty
        ? "No problem found in this log by the documented rules"
        : "No finding; \(Figures.counted(analysis.findings.count, "question")) that no log answers"
    }
    let summary = first.fix.group.findings[0].summary.capitalizedFirst
    // Begin the headline with the answer, because a phone shows only its first three lines.
    guard let repair = first.repair, repair.caveat.isEmpty, let before = replay?.sizes.last else {
      return "\(summary)"
    }
    if let saved = repair.saved, saved.low > 0 {
      return
        "\(strong: "Saves \(Figures.seconds(saved.median))") of \(Figures.seconds(before.time)): \(first.fix.title)"
    }
    let exact = repair.exactSaving(of: before.counters)
    return exact.isEmpty ? "\(summary)" : "\(strong: "Saves \(exact)"): \(first.fix.title)"
  }

  private var verdict: String {
    let (digest, input) = (analysis.digest, analysis.report)
    let level = input.level.map { "SQLDebug level \($0)" } ?? "SQLite's statement log"
    var sentences = [
      "\(Figures.counted(analysis.findings.count { !$0.isQuestion }, "finding")) in "
        + "\(digest.calls.grouped) "
        + "\(digest.calls == 1 ? "statement" : "statements") and "
        + "\(Figures.counted(digest.saves, "save")) (\(level))."
    ]
    if digest.untimed > 0 {
      sentences.append(
        "Time unknown: \(digest.untimed.grouped) of \(digest.calls.grouped) statements, because "
          + "the log records no time for them."
          + (analysis.statements.isPlain ? "" : " Core Data prints no times for saves.")
      )
    }
    if input.isMixed {
      sentences.append(
        "Mixed levels: the log shows values for \(input.boundReads.grouped) fetches (first at line "
          + "\(input.firstBound)), but not for \(input.unboundReads.grouped) (first at line "
          + "\(input.firstUnbound)). Rules that need values ignore fetches without values."
      )
    }
    if input.isTruncated { sentences.append("Truncated: the log ends within a statement.") }
    sentences += input.systemNotes.map { "\($0.prefix(1).uppercased())\($0.dropFirst())." }
    return sentences.joined(separator: " ")
  }

  /// The recommended next step, which a terminal shows below the findings.
  private var step: Report.Text {
    guard let first = ordered.first else {
      return statements.blocks.isEmpty
        ? "Nothing has to be done: the log holds no statement."
        : "Nothing has to be done by these rules; 'Statements by time' shows what takes longest."
    }
    return replay == nil
      ? "Measure what each fix saves, with \(code: "--store App.sqlite --replay")."
      : "Make the first change in the app (\(first.fix.title)), and record the log again."
  }

  /// The share of the log that was read and understood, and the confidence of the findings.
  private var certainty: Report.Text {
    let input = analysis.report
    let unknown = input.unknown.values.reduce(0) { $0 + $1.count }
    let gaps: [(Int, String)] = [
      (input.foreign, analysis.statements.isPlain ? "without a statement" : "not of Core Data"),
      (unknown, "not understood"), (input.hidden, "shown as '<private>'"),
      (input.cut, "read only in part"),
      (max(input.unfinishedCount, input.isTruncated ? 1 : 0), "with a statement that does not end"),
    ]
    let open = gaps.filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }.joined(separator: ", ")
    let lines = "\(input.lines.grouped) \(input.lines == 1 ? "line" : "lines")"
    let levels = Confidence.allCases.reversed().compactMap { level -> String? in
      let count = analysis.findings.count { !$0.isQuestion && $0.confidence == level }
      return count > 0 ? "\(count) of \(level.rawValue) confidence" : nil
    }
    return
      "\(lines) \(open.isEmpty ? "read in full" : "read, of which \(open)"), and judged by the \(FindingRule.allCases.count) documented rules\(levels.isEmpty ? "" : ": findings, \(levels.joined(separator: ", "))"). They see statements, not the app's code."
  }

  private var notMeasured: Report.Text {
    ordered.isEmpty
      ? "Apple's own code, and what no rule covers: the times are those that the log records."
      : replay == nil
        ? "What a fix saves, and Apple's own code: the times are those that the log records."
        : "Devices and Apple's own code: the savings are those of a replay on this Linux machine."
  }

  /// The text with the order of the findings, the combined savings of all fixes, and the next step.
  private var next: Report.Text {
    guard let replay else {
      return
        "Ordered by the time that the log records. Next: '--store STORE --replay' measures what each fix saves. docs/analyze.md documents the rules."
    }
    let together = replay.sizes.last?.together.map {
      " \($0.summaries.count.grouped) findings repaired at once: \($0.effect)."
    }
    return
      "Ordered by what the repair saves on the largest store of the replay.\(together ?? "") Next: change the app, record the same steps again, and compare the logs (--compare); a gate keeps it so (docs/ci.md)."
  }

  private var findings: [Report.Finding] {
    var explained: [String: Int] = [:]
    let fixes = ordered.enumerated().map { index, pair in
      finding(pair.fix, pair.repair, number: index + 1, &explained)
    }
    return fixes
      + analysis.findings.filter(\.isQuestion).map { question in
        Report.Finding(
          Report.Text("Question: \(question.summary)?"),
          details: [cause(question), "No log answers it: \(question.doubt)"],
          tone: .quiet
        )
      }
  }

  /// Returns the report of a fix: its title, its findings and the code.
  private func finding(
    _ fix: Fix,
    _ repair: ReplayReport.Repair?,
    number: Int,
    _ explained: inout [String: Int]
  ) -> Report.Finding {
    let findings = fix.group.findings
    var details: [Report.Text] = []
    if let repair { details += replay?.savings(repair) ?? [] }
    for (place, finding) in findings.enumerated() {
      // If a fix has only one finding, its title already contains the finding's summary.
      if place > 0 || findings.count > 1 {
        details.append(Report.Text(finding.summary.capitalizedFirst))
      }
      details.append(cause(finding))
      if !finding.doubt.isEmpty { details.append("Doubt: \(finding.doubt)") }
    }
    if findings.count > 1, let time = fix.group.time {
      details.append(
        "Together: \(Self.time(time)) (\(share(time).percent)) of \(Figures.counted(findings.count, "finding"))"
      )
    }
    let advice = fix.coreData + fix.swiftData + fix.sqlite
    if let first = explained[advice.joined(separator: "\n")] {
      details.append("Fix: as for finding \(first)")
    } else {
      explained[advice.joined(separator: "\n")] = number
      details += fix.coreData.map { Report.Text("Core Data: \($0)") }
      details += fix.swiftData.map { Report.Text("SwiftData: \($0)") }
      details += fix.sqlite.map { Report.Text("SQLite: \($0)") }
      details += fix.notes.map { Report.Text($0) }
      var reasons: [String] = []
      for reason in findings.map(\.rule.remedy.unless) where !reasons.contains(reason) {
        reasons.append(reason)
      }
      details.append(Report.Text("No problem if \(reasons.joined(separator: "; or if "))"))
    }
    let title = findings.count > 1 ? fix.title : findings[0].summary.capitalizedFirst
    return Report.Finding(Report.Text(title), details: details)
  }

  private func cause(_ finding: Finding) -> Report.Text {
    let time = finding.time.map { "\(Self.time($0)) (\(share($0).percent))" } ?? "time unknown"
    return
      "\(code: finding.rule.rawValue): \(time), \(finding.confidence.rawValue) confidence, lines \(finding.lines.map(\.grouped).joined(separator: " "))"
  }

  // MARK: Tables

  private func cells(_ figures: CallFigures, isRead: Bool = true) -> [Report.Cell] {
    let isTimed = figures.times.count > 0
    return [
      .number(figures.calls), isTimed ? .microseconds(figures.time) : "unknown",
      isTimed && analysis.digest.time > 0 ? .number(share(figures.time)) : .empty,
      isTimed ? .microseconds(figures.times.percentile(0.99)) : .empty,
      figures.rows.count > 0 ? .number(figures.rows.mean) : isRead ? "unknown" : .empty,
    ]
  }

  private static let figureColumns: [Report.Column] = [
    .init("Calls", .number), .init("Time", .seconds), .init("Share", .share),
    .init("p99", .seconds), .init("Rows per call", .number),
  ]

  private var statements: Report.Section {
    section(
      "Statements by time",
      [.init("Operation")] + Self.figureColumns + [.init("SQL", .code)],
      analysis.rankedStatements.map { entry in
        let statement = analysis.statements[entry]
        let figures = cells(analysis.digest.statements[entry], isRead: statement.shape.isRead)
        return [.text(analysis.operation(entry))] + figures + [.text(statement.fingerprint)]
      }
    )
  }

  private var entities: Report.Section {
    section(
      "Entities by time",
      [.init("Entity")] + Self.figureColumns,
      analysis.rankedTables.map { name, figures in
        [.text(analysis.vocabulary.entity(of: name))] + cells(figures)
      }
    )
  }

  private var saves: Report.Section {
    let digest = analysis.digest
    var section = section(
      "Saves",
      [
        .init("Writes"), .init("Saves", .number), .init("Median", .seconds),
        .init("Longest", .seconds), .init("First line", .number),
      ],
      analysis.rankedSaves.map { group in
        let isTimed = group.elapsed.count > 0
        return [
          .text(analysis.vocabulary.save(of: group.writes)), .number(group.count),
          isTimed ? .microseconds(group.elapsed.percentile(0.5)) : "unknown",
          isTimed ? .microseconds(group.elapsed.largest) : "unknown", .number(group.firstLine),
        ]
      }
    )
    if digest.upkeep > 0 {
      let count = Figures.counted(digest.upkeep, "transaction")
      section.blocks.append(.sentence("\(count) of the framework itself: keys reserved, settings"))
    }
    if digest.rollbacks > 0 {
      section.blocks.append(.sentence("\(Figures.counted(digest.rollbacks, "rollback"))"))
    }
    return section
  }

  private func section(
    _ title: String,
    _ columns: [Report.Column],
    _ rows: [[Report.Cell]]
  ) -> Report.Section {
    let table = Report.Table("", columns, rows: rows, most: Self.most)
    return Report.Section(title, rows.isEmpty ? [] : [.table(table)])
  }

  /// The section with the numbers of lines that were read and of lines that were not understood.
  private var input: Report.Section {
    let report = analysis.report
    var lines: [String] = []
    let forms = report.forms.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
    let listed = forms.map { "\($0.key.rawValue) \($0.value.grouped)" }.joined(separator: ", ")
    if !listed.isEmpty { lines.append("Start of the lines: \(listed)") }
    let counts: [(String, Int)] = [
      ("Lines printed twice, counted once", report.duplicates),
      (
        analysis.statements.isPlain
          ? "Lines that are no statement" : "Lines that are not Core Data's",
        report.foreign
      ),
      ("Lines longer than 1 MiB, of which only the first MiB was read", report.cut),
      ("Times, row counts and faults without a statement", report.orphans),
      ("Statements shown as '<private>'", report.hidden),
      ("Statements that do not end", report.unfinishedCount),
      ("Errors of Core Data", report.errors),
      (
        "Statements that were not kept, because there were already 20,000 different ones",
        analysis.statements.overflow
      ),
    ]
    for (words, count) in counts where count > 0 { lines.append("\(words): \(count.grouped)") }
    let unknown = report.unknown.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    lines += unknown.map { words, found in
      "Not understood: '\(words)…', \(Figures.counted(found.count, "line")), first line "
        + found.line.grouped
    }
    return .init("Input", lines.isEmpty ? [] : [.list(lines.map { Report.Text($0) })])
  }

  static func time(_ microseconds: Int) -> String {
    microseconds == 0 ? "0 µs" : Figures.seconds(Double(microseconds) / 1e6)
  }

  private func share(_ microseconds: Int) -> Double {
    analysis.digest.time > 0 ? Double(microseconds) / Double(analysis.digest.time) : 0
  }
}

extension Report.Cell {
  fileprivate static func microseconds(_ value: Int) -> Report.Cell { .number(Double(value) / 1e6) }
}

extension LogAnalysis {
  /// The statements sorted by time or, if times are equal or unknown, by number of calls.
  var rankedStatements: [Int] {
    digest.statements.indices.filter { digest.statements[$0].calls > 0 }.sorted {
      let (first, second) = (digest.statements[$0], digest.statements[$1])
      return (first.time, first.calls, $1) > (second.time, second.calls, $0)
    }
  }

  var rankedTables: [(key: String, value: CallFigures)] {
    digest.tables.sorted {
      ($1.value.time, $1.value.calls, $0.key) < ($0.value.time, $0.value.calls, $1.key)
    }
  }

  var rankedSaves: [SaveGroup] {
    digest.saveGroups.values.sorted { ($1.count, $0.firstLine) < ($0.count, $1.firstLine) }
  }
}
