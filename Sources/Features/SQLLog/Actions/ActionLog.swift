import Basics

/// What ran in one section of a log.
///
/// Each figure is a sum over lines of the section, so the order of lines within it changes none: not
/// even where lines of several threads lie between one another and show no thread.
package struct ActionSection: Sendable {
  /// The marker among them.
  package let lines: ClosedRange<Int>
  /// Reads and writes of objects.
  package fileprivate(set) var statements = 0
  package fileprivate(set) var saves = 0
  /// Microseconds of the statements whose time the log records.
  package fileprivate(set) var time = 0
  package fileprivate(set) var timed = 0
  /// Pages that a replay of the section reads; `nil` where none was made.
  package var pages: ActionCheck.PageCount?
  /// Calls and the first line, by fingerprint.
  var calls: [String: (calls: Int, firstLine: Int)] = [:]
  private var faultStatements = 0
  private var faultLines = 0
  private var statementRows = 0
  private var rowLines = 0
  private var loggedRows = 0

  init(lines: ClosedRange<Int>) { self.lines = lines }

  /// Objects and to-many relationships that were read one at a time.
  ///
  /// Statements of that form and lines that name a fault are counted apart: where lines of two threads
  /// mix, a line may be taken for another statement's.
  package var faults: Int { max(faultStatements, faultLines) }

  /// Rows that reads returned, by the lines that state them.
  package var rows: Int { rowLines > 0 ? loggedRows : statementRows }

  /// A figure by its name; `nil` where nothing counts it.
  package func value(_ measure: LogAction.Measure) -> Int? {
    switch measure {
    case .statements: statements
    case .faults: faults
    case .rows: rows
    case .saves: saves
    case .pages: pages.flatMap { $0.doubt.isEmpty ? $0.pages : nil }
    }
  }

  mutating func add(_ statement: LoggedStatement, _ shape: StatementShape, _ fingerprint: String) {
    statements += 1
    if shape.kind == .fault || shape.kind == .toManyFault { faultStatements += 1 }
    switch statement.purpose {
    case .fault, .toManyFault: faultLines += 1
    default: break
    }
    if statement.rows > 0 { statementRows += statement.rows }
    if let own = statement.ownTime {
      time += own
      timed += 1
    }
    var found = calls[fingerprint] ?? (0, statement.line)
    found.calls += 1
    found.firstLine = min(found.firstLine, statement.line)
    calls[fingerprint] = found
  }

  mutating func addSave() { saves += 1 }

  mutating func add(_ message: Message) {
    switch message {
    case .fetchTime(_, let rows):
      rowLines += 1
      loggedRows += rows
    case .countTime:
      rowLines += 1
      loggedRows += 1
    default: return
    }
  }
}

/// The sections of a log that actions select, with what ran in them.
struct ActionLog {
  /// The names of actions, and their sections in the order of the log.
  let names: [String]
  private(set) var sections: [[ActionSection]]
  /// What each action's statements point to, where that was asked for.
  private(set) var findings: [[Finding]] = []
  private(set) var notes: [String] = []
  private var operations: [String: String] = [:]

  init(_ actions: [LogAction], logs: [String], schema: LogSchema?) throws {
    var finder = SectionFinder(actions)
    for path in logs {
      try LineReader(path: path).forEachLine { line, _ in finder.read(line) }
    }
    names = actions.map(\.name)
    sections = finder.finish().map { $0.map { ActionSection(lines: $0) } }
    try read(logs, schema, findsCauses: false)
  }

  init(
    _ marker: ActionMarker,
    logs: [String],
    schema: LogSchema?,
    findsCauses: Bool
  ) throws {
    var finder = MarkerFinder(marker)
    try finder.read(logs)
    (names, notes) = (finder.names, finder.notes)
    sections = finder.sections.map { ranges in
      ranges.sorted { $0.lowerBound < $1.lowerBound }.map { ActionSection(lines: $0) }
    }
    try read(logs, schema, findsCauses: findsCauses)
  }

  private mutating func read(_ logs: [String], _ schema: LogSchema?, findsCauses: Bool) throws {
    var sections = sections
    var last: [Int: LoggedStatement] = [:]
    var table = StatementTable()
    // Objects written since the last BEGIN of each thread.
    var writes: [Int: Int] = [:]
    let collectors = findsCauses ? names.map { _ in Collector() } : []
    func forEach(_ line: Int, _ body: (_ action: Int, _ section: Int) -> Void) {
      for action in sections.indices {
        if let place = Self.place(of: line, in: sections[action]) { body(action, place) }
      }
    }
    let parser = LogParser { statement in
      let shape = table[statement.entry].shape
      forEach(statement.line) { action, _ in
        if findsCauses { collectors[action].add(statement) }
      }
      switch shape.kind {
      case .begin: writes[statement.threadKey] = 0
      case .commit:
        guard writes.removeValue(forKey: statement.threadKey) ?? 0 > 0 else { return }
        forEach(statement.line) { sections[$0][$1].addSave() }
      case .rollback: writes[statement.threadKey] = nil
      default: break
      }
      guard shape.isRead || shape.isWrite else { return }
      if shape.isWrite {
        // Without a transaction, SQLite commits each statement of an app's own by itself.
        if shape.isPlain, writes[statement.threadKey] == nil {
          forEach(statement.line) { sections[$0][$1].addSave() }
        } else {
          writes[statement.threadKey, default: 0] += 1
        }
      }
      last[statement.entry] = statement
      let fingerprint = table[statement.entry].fingerprint
      forEach(statement.line) { sections[$0][$1].add(statement, shape, fingerprint) }
    }
    parser.observeFigures { message, line in
      forEach(line) { sections[$0][$1].add(message) }
    }
    table = parser.statements
    for collector in collectors { collector.statements = table }
    for path in logs { try parser.read(path) }
    self.sections = sections
    let vocabulary = Vocabulary(schema: schema, names: parser.names)
    for (entry, statement) in last {
      operations[table[entry].fingerprint] = vocabulary.operation(
        table[entry].shape,
        purpose: statement.purpose,
        batchSize: statement.limit
      )
    }
    findings = collectors.map { collector in
      collector.finish()
      // Upkeep is counted for the whole log, and is no action's.
      return collector.findings(table, vocabulary, ParsingReport()).filter { !$0.isQuestion }
        .sorted(by: LogAnalysis.isBefore)
    }
  }

  private static func place(of line: Int, in sections: [ActionSection]) -> Int? {
    var (low, high) = (0, sections.count)
    while low < high {
      let middle = (low + high) / 2
      if sections[middle].lines.upperBound < line { low = middle + 1 } else { high = middle }
    }
    return low < sections.count && sections[low].lines.contains(line) ? low : nil
  }

  mutating func set(_ pages: ActionCheck.PageCount?, action: Int, section: Int) {
    sections[action][section].pages = pages
  }

  /// The statements of a section that no section of the reference has, or has as often; all of them
  /// without a reference.
  func additions(
    of section: ActionSection,
    beside reference: [ActionSection]?
  ) -> [ActionCheck.Addition] {
    section.calls.compactMap { fingerprint, found -> ActionCheck.Addition? in
      let before = reference.map { $0.map { $0.calls[fingerprint]?.calls ?? 0 }.max() ?? 0 }
      if let before, before >= found.calls { return nil }
      return ActionCheck.Addition(
        operation: operations[fingerprint] ?? "",
        fingerprint: fingerprint,
        calls: found.calls,
        callsBefore: before,
        firstLine: found.firstLine
      )
    }.sorted {
      let (first, second) = ($0.calls - ($0.callsBefore ?? 0), $1.calls - ($1.callsBefore ?? 0))
      return (second, $0.firstLine) < (first, $1.firstLine)
    }
  }
}
