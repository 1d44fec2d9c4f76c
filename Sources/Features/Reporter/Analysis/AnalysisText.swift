import Basics
import SQLLog

/// The report of a log for a person: findings first, then the figures behind them.
package struct AnalysisText {
  private let analysis: LogAnalysis
  private let width: Int
  private var lines: [String] = []

  /// Statements, entities and saves that are listed; the rest is one line.
  private static let most = 15

  package static func text(of analysis: LogAnalysis, width: Int = 80) -> String {
    var text = AnalysisText(analysis: analysis, width: max(width, 80))
    text.addSummary()
    text.addFindings()
    text.addStatements()
    text.addEntities()
    text.addSaves()
    text.addInput()
    return text.lines.joined(separator: "\n") + "\n"
  }

  private init(analysis: LogAnalysis, width: Int) {
    (self.analysis, self.width) = (analysis, width)
  }

  private var total: Int { analysis.digest.time }

  /// A time of a log; `unknown` for none.
  static func time(_ microseconds: Int?) -> String {
    guard let microseconds else { return "unknown" }
    return microseconds == 0 ? "0 µs" : Figures.seconds(Double(microseconds) / 1e6)
  }

  private func share(_ microseconds: Int) -> String {
    total == 0 ? "" : (Double(microseconds) / Double(total)).percent
  }

  private mutating func add(_ text: String, mark: String = "") {
    lines += TerminalText.paragraph(text, to: width, mark: mark)
  }

  private mutating func heading(_ text: String) {
    lines += ["", text.uppercased(), ""]
  }

  // MARK: Sections

  private mutating func addSummary() {
    let (digest, report) = (analysis.digest, analysis.report)
    let level = report.level.map { "SQLDebug level \($0)" } ?? "SQLite statement log"
    let times = digest.untimed == digest.calls ? "no times" : Self.time(total)
    add(
      "\(Figures.counted(analysis.findings.count, "finding")) in "
        + "\(digest.calls.grouped) \(digest.calls == 1 ? "statement" : "statements"), "
        + "\(Figures.counted(digest.saves, "save")), \(times) (\(level), "
        + "\(report.lines.grouped) lines)"
    )
    if digest.untimed > 0 {
      add(
        "Time unknown: \(digest.untimed.grouped) of \(digest.calls.grouped) statements, because the "
          + "log records no time for them. Core Data prints no times for saves."
      )
    }
    if report.isMixed {
      add(
        "Mixed levels: the log shows values for \(report.boundReads.grouped) fetches (first at line "
          + "\(report.firstBound)), but not for \(report.unboundReads.grouped) (first at line "
          + "\(report.firstUnbound)). Rules that need values ignore fetches without values."
      )
    }
    if report.isTruncated { add("Truncated: the log ends within a statement.") }
    if report.cutOff > 0 {
      add(
        "Cut off: \(Figures.counted(report.cutOff, "statement")), because the system's log keeps "
          + "only 1,024 bytes of a message. Run the app with -com.apple.CoreData.Logging.stderr 1 "
          + "and save its standard error."
      )
    }
  }

  private mutating func addFindings() {
    heading("Findings")
    guard !analysis.findings.isEmpty else {
      return add("No documented rule applies to this log.")
    }
    for (index, finding) in analysis.findings.enumerated() {
      if index > 0 { lines.append("") }
      let time = finding.time.map { "\(Self.time($0)) (\(share($0)))" } ?? "time unknown"
      add(
        "\(finding.rule.rawValue): \(time), \(finding.confidence.rawValue) confidence",
        mark: "\(index + 1). "
      )
      let indent = String(index + 1).count + 2
      func part(_ label: String, _ text: String) -> [String] {
        TerminalText.paragraph(label + text, to: width, mark: .blanks(indent), indent: indent)
      }
      lines += part("", finding.summary)
      lines += part("Lines: ", finding.lines.map(\.grouped).joined(separator: " "))
      if !finding.doubt.isEmpty { lines += part("Doubt: ", finding.doubt) }
      let remedy = finding.rule.remedy
      lines += part("Core Data: ", remedy.coreData)
      lines += part("SwiftData: ", remedy.swiftData)
      lines += part("No problem if ", remedy.unless)
    }
  }

  private static let figureColumns: [TextTable.Column] = [
    .right("Calls", 9), .right("Time", 9), .right("Share", 7), .right("p50", 9), .right("p99", 9),
    .right("Rows/call", 10), .right("In save", 9),
  ]

  private func cells(_ figures: CallFigures, isRead: Bool) -> [String] {
    let isTimed = figures.times.count > 0
    return [
      figures.calls.grouped, isTimed ? Self.time(figures.time) : "unknown",
      isTimed ? share(figures.time) : "",
      isTimed ? Self.time(figures.times.percentile(0.5)) : "",
      isTimed ? Self.time(figures.times.percentile(0.99)) : "",
      figures.rows.count > 0
        ? Figures.significant(figures.rows.mean) : isRead ? "unknown" : "",
      figures.insideSave == 0 ? "" : figures.insideSave.grouped,
    ]
  }

  private mutating func addStatements() {
    heading("Statements by time")
    let table = TextTable(Self.figureColumns, overflow: .widen)
    lines.append(table.header)
    let entries = analysis.rankedStatements
    for entry in entries.prefix(Self.most) {
      let figures = analysis.digest.statements[entry]
      let statement = analysis.statements[entry]
      lines.append(table.line(cells(figures, isRead: statement.shape.isRead)))
      add(analysis.operation(entry), mark: "    ")
      let sql = TerminalText.plain(statement.fingerprint)
      lines.append("    " + TerminalText.shortened(sql, to: width - 4))
    }
    let rest = entries.dropFirst(Self.most)
    guard !rest.isEmpty else { return }
    let calls = rest.reduce(0) { $0 + analysis.digest.statements[$1].calls }
    let time = rest.reduce(0) { $0 + analysis.digest.statements[$1].time }
    add(
      "\(Figures.counted(rest.count, "further statement")): \(calls.grouped) calls, "
        + "\(Self.time(time)); all of them in --format json"
    )
  }

  private mutating func addEntities() {
    let tables = analysis.rankedTables
    guard !tables.isEmpty else { return }
    heading("Entities by time")
    let columns: [TextTable.Column] =
      [.left("Entity", 26)]
      + [.right("Calls", 9), .right("Time", 9), .right("Share", 7), .right("Rows", 11)]
      + [.right("In save", 9)]
    let table = TextTable(columns)
    lines.append(table.header)
    for name in tables.prefix(Self.most) {
      guard let figures = analysis.digest.tables[name] else { continue }
      let isTimed = figures.times.count > 0
      lines.append(
        table.line([
          TerminalText.plain(analysis.vocabulary.entity(of: name)), figures.calls.grouped,
          isTimed ? Self.time(figures.time) : "unknown", isTimed ? share(figures.time) : "",
          figures.rows.count > 0 ? figures.rows.sum.grouped : "unknown",
          figures.insideSave == 0 ? "" : figures.insideSave.grouped,
        ])
      )
    }
    if tables.count > Self.most {
      add("\(Figures.counted(tables.count - Self.most, "further entity", "further entities"))")
    }
  }

  private mutating func addSaves() {
    let digest = analysis.digest
    guard digest.saves + digest.upkeep + digest.rollbacks > 0 else { return }
    heading("Saves")
    let table = TextTable([
      .right("Saves", 9), .right("Median", 9), .right("Longest", 9), .right("First line", 12),
    ])
    lines.append(table.header)
    for group in analysis.rankedSaves.prefix(Self.most) {
      let isTimed = group.elapsed.count > 0
      lines.append(
        table.line([
          group.count.grouped, isTimed ? Self.time(group.elapsed.percentile(0.5)) : "unknown",
          isTimed ? Self.time(group.elapsed.largest) : "unknown", group.firstLine.grouped,
        ])
      )
      add(analysis.vocabulary.save(of: group.writes), mark: "    ")
    }
    let rest = digest.saveGroups.count - Self.most
    if rest > 0 { add(Figures.counted(rest, "further kind of save", "further kinds of save")) }
    if digest.upkeep > 0 {
      add(
        "\(Figures.counted(digest.upkeep, "transaction")) of the framework itself: keys reserved, "
          + "settings"
      )
    }
    if digest.rollbacks > 0 { add(Figures.counted(digest.rollbacks, "rollback")) }
  }

  private mutating func addInput() {
    heading("Input")
    for line in Self.inputLines(of: analysis) { add(line) }
  }

  /// What was read of a log and what was not understood, a sentence each.
  static func inputLines(of analysis: LogAnalysis) -> [String] {
    let report = analysis.report
    var lines: [String] = []
    let forms = report.forms.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
    let listed = forms.map { "\($0.key.rawValue) \($0.value.grouped)" }.joined(separator: ", ")
    if !listed.isEmpty { lines.append("Start of the lines: \(listed)") }
    let counts: [(String, Int)] = [
      ("Lines printed twice, counted once", report.duplicates),
      ("Lines that are not Core Data's", report.foreign),
      ("Lines longer than 1 MiB, of which only the first MiB was read", report.cut),
      ("Times, row counts and faults without a statement", report.orphans),
      ("Statements that do not end", report.unfinishedCount),
      ("Errors of Core Data", report.errors),
      (
        "Statements that were not kept, because there were already 20,000 different ones",
        analysis.statements.overflow
      ),
    ]
    for (words, count) in counts where count > 0 { lines.append("\(words): \(count.grouped)") }
    let unknown = report.unknown.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    for (words, found) in unknown {
      lines.append(
        "Not understood: '\(TerminalText.plain(words))…', "
          + "\(Figures.counted(found.count, "line")), first line \(found.line.grouped)"
      )
    }
    return lines
  }
}

extension LogAnalysis {
  /// The statements by time, those without one by calls.
  package var rankedStatements: [Int] {
    digest.statements.indices.filter { digest.statements[$0].calls > 0 }.sorted {
      let (first, second) = (digest.statements[$0], digest.statements[$1])
      return (first.time, first.calls, $1) > (second.time, second.calls, $0)
    }
  }

  package var rankedTables: [String] {
    digest.tables.sorted {
      ($1.value.time, $1.value.calls, $0.key) < ($0.value.time, $0.value.calls, $1.key)
    }.map(\.key)
  }

  package var rankedSaves: [SaveGroup] {
    digest.saveGroups.values.sorted { ($1.count, $0.firstLine) < ($0.count, $1.firstLine) }
  }
}
