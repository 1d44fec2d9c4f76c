import Basics
import Foundation
import SQLLog

/// The page of a log: what costs time and what each repair saves, then the figures behind it.
///
/// It holds no value of the log, as all reports of an analysis.
package struct AnalysisPage {
  private let analysis: LogAnalysis
  private let replay: ReplayReport?
  private let name: String

  /// Rows of a table; the rest is counted below it.
  private static let mostRows = 500

  /// The page of some logs, whose names are shown without their folders.
  package init(of analysis: LogAnalysis, replay: ReplayReport? = nil, logs: [String]) {
    (self.analysis, self.replay) = (analysis, replay)
    let names = logs.map { URL(fileURLWithPath: $0).lastPathComponent }
    name = names.count == 1 ? names[0] : Figures.counted(names.count, "log")
  }

  /// One file that asks for nothing.
  package var html: String { page.html }

  private var page: ReportPage {
    var page = ReportPage(
      title: "StoreBench log analysis: \(name)",
      kicker: Inline("StoreBench log analysis · \(name)"),
      headline: Inline(headline),
      footer: PageFacts.footer(made: "the log")
    )
    page.lead = Inline(lead)
    page.facts = facts
    page.findings = findings
    page.sections = [repairs, fixes, statements, entities, saves, input].compactMap(\.self)
    return page
  }

  // MARK: The answer

  /// Findings with their repairs; those that save most come first, then those that take most time.
  private var ordered: [(finding: SQLLog.Finding, repair: ReplayReport.Repair?)] {
    // The largest store shows what a repair saves where data grow.
    let repairs = replay?.sizes.last?.repairs ?? []
    let pairs = analysis.findings.map {
      finding -> (finding: SQLLog.Finding, repair: ReplayReport.Repair?) in
      let repair = repairs.first {
        $0.rule == finding.rule.rawValue && $0.summary == finding.summary
      }
      return (finding, repair)
    }
    guard !repairs.isEmpty else { return pairs }
    return pairs.enumerated().sorted { first, second in
      let key: (ReplayReport.Repair?) -> Double = { $0?.saved?.median ?? -.infinity }
      let (left, right) = (key(first.element.repair), key(second.element.repair))
      return left == right ? first.offset < second.offset : left > right
    }.map(\.element)
  }

  private var headline: String {
    guard let first = ordered.first else { return "No documented rule applies to this log" }
    let summary = first.finding.summary
    let capitalized = summary.prefix(1).uppercased() + summary.dropFirst()
    guard let repair = first.repair, repair.caveat.isEmpty, let saved = repair.saved, saved.low > 0
    else { return capitalized }
    return "\(capitalized): the repair saves \(Figures.seconds(saved.median))"
  }

  private var lead: String {
    let digest = analysis.digest
    let level = analysis.report.level.map { "level \($0) of SQLDebug" } ?? "SQLite's statement log"
    let unknown =
      digest.untimed > 0
      ? " The log records no time for \(digest.untimed.grouped) of these statements; Core Data "
        + "prints no times for saves." : ""
    return "\(Figures.counted(analysis.findings.count, "finding")) in "
      + "\(Figures.counted(digest.calls, "statement")) and "
      + "\(Figures.counted(digest.saves, "save")) of \(level).\(unknown)"
  }

  private var facts: [ReportPage.Fact] {
    let (digest, report) = (analysis.digest, analysis.report)
    return [
      .init("Recorded time", Inline(digest.untimed == digest.calls ? "none" : time(digest.time))),
      .init("Lines", Inline(report.lines.grouped)),
      .init("Statements", Inline(digest.calls.grouped)),
      .init("Saves", Inline(digest.saves.grouped)),
    ]
  }

  private var findings: ReportPage.Findings? {
    let items = ordered.map { finding, repair -> ReportPage.Findings.Item in
      let time = finding.time.map { "\(self.time($0)) (\(share($0)))" } ?? "time unknown"
      var parts = ["\(time), \(finding.confidence.rawValue) confidence"]
      if let repair, repair.counters != nil { parts.append(Self.saving(repair)) }
      parts.append("lines " + finding.lines.map(\.grouped).joined(separator: ", "))
      if !finding.doubt.isEmpty { parts.append(finding.doubt) }
      return ReportPage.Findings.Item(
        claim: Inline.strong(finding.summary) + Inline(" ") + .code(finding.rule.rawValue),
        evidence: Inline(parts.joined(separator: "; "))
      )
    }
    guard !items.isEmpty else { return nil }
    return ReportPage.Findings(
      items: items,
      remark: Inline(
        replay == nil
          ? "Ordered by the time that the log records."
          : "Ordered by what the repair saves on the largest store of the replay."
      )
    )
  }

  // MARK: Sections

  private var repairs: ReportPage.Section? {
    guard let replay else { return nil }
    return ReportPage.Section(
      id: "repairs",
      heading: "What each repair saves",
      question: "What does a replay of the log cost, unchanged and with each finding repaired?",
      answers: replay.hasGuessedValues
        ? [
          Inline(
            "Values are guessed, because the log shows no values. Figures of predicates and "
              + "searches are not used as evidence."
          )
        ] : [],
      blocks: replay.sizes.flatMap(blocks)
    )
  }

  private func blocks(of size: ReplayReport.Size) -> [ReportPage.Block] {
    let counters = size.counters
    var blocks: [ReportPage.Block] = [
      .heading(Inline("On \(size.store)")),
      .text(
        Inline(
          "\(size.objects.grouped) objects: \(Figures.counted(counters.statements, "statement")) in "
            + "\(Figures.seconds(size.time)), \(counters.pagesRead.grouped) pages read, "
            + "\(counters.vmSteps.grouped) steps of SQLite. The replay differs from the log by "
            + "\(size.divergence.share.percent)."
        )
      ),
    ]
    if !size.divergence.isEvidence {
      blocks.append(.warning(Inline("Not used as evidence: \(size.divergence.doubt).")))
    }
    if !size.notes.isEmpty { blocks.append(.points(size.notes.map { Inline($0) })) }
    guard !size.repairs.isEmpty else { return blocks }
    return blocks + [
      .table(
        ReportPage.Table(
          name: "Table: repairs",
          label: "What each repair saves on \(size.store)",
          caption: "Median difference with its interval of at least 95 %, and exact counters",
          columns: [
            "Repair", "Compared with", "Saved", "Statements", "Pages read", "Pages written",
          ],
          rows: size.repairs.map { row(of: $0, beside: counters) },
          isFolded: false
        )
      )
    ]
  }

  private func row(
    of repair: ReplayReport.Repair,
    beside before: ReplayReport.Counters
  ) -> ReportPage.Table.Row {
    func change(_ path: KeyPath<ReplayReport.Counters, Int>) -> Inline {
      guard let after = repair.counters else { return "" }
      return Inline("\(before[keyPath: path].grouped) → \(after[keyPath: path].grouped)")
    }
    let name = repair.fix.isEmpty ? repair.rule : repair.fix
    guard repair.counters != nil else {
      return .init(.code(name), [Inline("not replayed: \(repair.obstacle)"), "", "", "", ""])
    }
    let compared = [repair.comparison] + repair.storeChanges
    return .init(
      .code(name),
      [
        Inline(compared.joined(separator: "; ")), Inline(Self.saving(repair)), change(\.statements),
        change(\.pagesRead), change(\.pagesWritten),
      ]
    )
  }

  private static func saving(_ repair: ReplayReport.Repair) -> String {
    guard let saved = repair.saved else { return "no interval" }
    func time(_ seconds: Double) -> String {
      seconds < 0 ? "-" + Figures.seconds(-seconds) : Figures.seconds(seconds)
    }
    let interval = "(\(time(saved.low)) to \(time(saved.high)))"
    let doubt = repair.caveat.isEmpty ? "" : "; not used as evidence, because \(repair.caveat)"
    if saved.low > 0 { return "saves \(time(saved.median)) \(interval)\(doubt)" }
    if saved.high < 0 { return "costs \(time(-saved.median)) \(interval)\(doubt)" }
    return "no difference shown \(interval)\(doubt)"
  }

  private var fixes: ReportPage.Section? {
    guard !analysis.findings.isEmpty else { return nil }
    var rules: [FindingRule] = []
    for rule in ordered.map(\.finding.rule) where !rules.contains(rule) { rules.append(rule) }
    return ReportPage.Section(
      id: "fixes",
      heading: "Fixes",
      question: "What changes in the code, and when is there nothing to change?",
      blocks: [
        .table(
          ReportPage.Table(
            name: "Table: fixes",
            label: "Fixes in Core Data and SwiftData",
            caption: "The rules and their thresholds are documented in docs/analyze.md",
            columns: ["Rule", "Core Data", "SwiftData", "Not a problem if"],
            rows: rules.map { rule in
              let remedy = rule.remedy
              return .init(
                .code(rule.rawValue),
                [remedy.coreData, remedy.swiftData, remedy.unless].map { Inline($0) }
              )
            },
            isFolded: false
          )
        )
      ]
    )
  }

  private var statements: ReportPage.Section? {
    let entries = analysis.rankedStatements
    return section(
      "statements",
      "Statements",
      columns: [
        "Operation", "Calls", "Time", "Share", "p50", "p99", "Rows per call", "In save", "SQL",
      ],
      count: entries.count,
      rows: entries.prefix(Self.mostRows).map { entry in
        let figures = analysis.digest.statements[entry]
        let isTimed = figures.times.count > 0
        let cells = [
          figures.calls.grouped, isTimed ? time(figures.time) : "unknown",
          isTimed ? share(figures.time) : "",
          isTimed ? time(figures.times.percentile(0.5)) : "",
          isTimed ? time(figures.times.percentile(0.99)) : "",
          figures.rows.count > 0 ? Figures.significant(figures.rows.mean) : "",
          figures.insideSave == 0 ? "" : figures.insideSave.grouped,
        ]
        return .init(
          Inline(analysis.operation(entry)),
          cells.map { Inline($0) } + [.code(analysis.statements[entry].fingerprint)]
        )
      }
    )
  }

  private var entities: ReportPage.Section? {
    let tables = analysis.rankedTables
    return section(
      "entities",
      "Entities",
      columns: ["Entity", "Calls", "Time", "Share", "Rows", "In save"],
      count: tables.count,
      rows: tables.prefix(Self.mostRows).compactMap { name in
        guard let figures = analysis.digest.tables[name] else { return nil }
        let isTimed = figures.times.count > 0
        let cells = [
          figures.calls.grouped, isTimed ? time(figures.time) : "unknown",
          isTimed ? share(figures.time) : "",
          figures.rows.count > 0 ? figures.rows.sum.grouped : "unknown",
          figures.insideSave == 0 ? "" : figures.insideSave.grouped,
        ]
        return ReportPage.Table.Row(
          Inline(analysis.vocabulary.entity(of: name)),
          cells.map { Inline($0) }
        )
      }
    )
  }

  private var saves: ReportPage.Section? {
    let groups = analysis.rankedSaves
    return section(
      "saves",
      "Transactions",
      columns: ["Writes", "Saves", "Median", "Longest", "First line"],
      count: groups.count,
      rows: groups.prefix(Self.mostRows).map { group in
        let isTimed = group.elapsed.count > 0
        let cells = [
          group.count.grouped, isTimed ? time(group.elapsed.percentile(0.5)) : "unknown",
          isTimed ? time(group.elapsed.largest) : "unknown", group.firstLine.grouped,
        ]
        return .init(Inline(analysis.vocabulary.save(of: group.writes)), cells.map { Inline($0) })
      }
    )
  }

  private func section(
    _ id: String,
    _ heading: String,
    columns: [Inline],
    count: Int,
    rows: [ReportPage.Table.Row]
  ) -> ReportPage.Section? {
    guard !rows.isEmpty else { return nil }
    var blocks: [ReportPage.Block] = [
      .table(
        ReportPage.Table(
          name: Inline("Table: \(heading.lowercased())"),
          label: heading,
          caption: Inline("\(heading) by time; nested totals count once"),
          columns: columns,
          rows: rows,
          isFolded: false
        )
      )
    ]
    if count > rows.count {
      blocks.append(.note(Inline("\((count - rows.count).grouped) more in --format json")))
    }
    return ReportPage.Section(id: id, heading: Inline(heading), blocks: blocks)
  }

  private var input: ReportPage.Section? {
    let points = AnalysisText.inputLines(of: analysis)
    guard !points.isEmpty else { return nil }
    return ReportPage.Section(
      id: "input",
      heading: "Input",
      question: "What was read, and what was not understood?",
      blocks: [.points(points.map { Inline($0) })]
    )
  }

  private func time(_ microseconds: Int) -> String { AnalysisText.time(microseconds) }

  private func share(_ microseconds: Int) -> String {
    let total = analysis.digest.time
    return total == 0 ? "" : (Double(microseconds) / Double(total)).percent
  }
}
