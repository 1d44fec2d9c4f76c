import Basics

/// The work in one section of a log.
///
/// Each value is a sum over the section's lines, so it does not depend on their order if lines of
/// several threads are interleaved.
package struct ActionSection: Sendable {
  /// The lines of the section, including the marker.
  package let lines: ClosedRange<Int>
  /// The number of reads and writes of objects.
  package fileprivate(set) var statements = 0
  package fileprivate(set) var saves = 0
  /// The total time in microseconds of the statements whose time is logged.
  package fileprivate(set) var time = 0
  package fileprivate(set) var timed = 0
  /// The pages that a replay of the section reads; `nil` if no replay was made.
  package var pages: ActionCheck.PageCount?
  /// The number of calls and the first line of each statement, by fingerprint (the text without
  /// values).
  var calls: [String: (calls: Int, firstLine: Int)] = [:]
  private var faultStatements = 0
  private var faultLines = 0
  private var statementRows = 0
  private var rowLines = 0
  private var loggedRows = 0

  init(lines: ClosedRange<Int>) { self.lines = lines }

  /// The number of objects and to-many relationships that were read one at a time.
  ///
  /// The number is the larger of two counts: the statements with the form of a fault, and the lines
  /// that report a fault. If lines from two threads are interleaved, a line may be assigned to the
  /// wrong statement.
  package var faults: Int { max(faultStatements, faultLines) }

  /// The number of rows that reads returned, taken from the lines that report row counts if there
  /// are any.
  package var rows: Int { rowLines > 0 ? loggedRows : statementRows }

  /// Returns the value of a measure; `nil` if it was not counted.
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

struct ActionLog {
  /// The names of the actions, in the same order as ``sections``.
  let names: [String]
  private(set) var sections: [[ActionSection]]
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
    // The number of objects written since the last BEGIN, by thread.
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
        if findsCauses { collectors[action].add(statement, shape) }
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
        // Without a transaction, SQLite commits each statement on its own.
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
      // Pass an empty report: the statements that maintain the store (checkpoints, vacuuming)
      // belong to the whole log, not to one action.
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

  /// Returns the statements that run more often in a section than in any section of the reference
  /// log, if there is a reference log.
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
