import Basics

/// The statements of a log, in the order of a replay.
///
/// The order and the transactions are the same as in the log. Each thread of the log, or each file
/// of SQLite's statement log, is a connection. If a transaction starts while another connection
/// writes, it is moved to the end of that connection's transaction, because SQLite would make it
/// wait.
package struct ReplayScript: Sendable {
  package struct Step: Sendable {
    /// The index of the statement in ``ReplayScript/statements``.
    package var statement: Int
    package var connection: Int
    package var line: Int
    /// The value of each parameter; `nil` if the log does not show it.
    package var values: [LoggedValue?]
    /// The keys of the statement's rows, if the log shows them.
    package var keys: [Int64]
    /// The number of rows in the log; -1 if the log does not show it.
    package var rows: Int
    package var purpose: LoggedStatement.Purpose
    /// Whether the statement ran within another fetch, as prefetches do.
    package var isNested: Bool
    /// The logged time in microseconds; -1 if the log does not show it.
    package var time: Int
  }

  /// The number of statements that cannot be replayed for the same reason, and the line of the
  /// first such statement.
  package struct Omission: Hashable, Sendable {
    package var count: Int
    package var line: Int

    package init(count: Int, line: Int) { (self.count, self.line) = (count, line) }
  }

  package private(set) var statements: [ReplayStatement] = []
  package private(set) var steps: [Step] = []
  package private(set) var connections = 0
  package private(set) var names = LogNames()
  /// Whether the tables are an app's own rather than Core Data's.
  package private(set) var isPlain = false
  /// The statements that cannot be replayed, by reason.
  package private(set) var omissions: [String: Omission] = [:]
  /// Whether the log has more statements than a replay can hold.
  package private(set) var isCut = false
  /// The number of parameters whose value the log does not show.
  package private(set) var unknownValues = 0
  package private(set) var knownValues = 0

  package static let mostSteps = 1_000_000
  package static let mostBytes = 256 << 20
  /// The maximum number of connections; further threads share them.
  static let mostConnections = 8

  /// Whether the log shows the values of its statements, as logs at SQLDebug level 2 and above do.
  package var hasValues: Bool { knownValues > unknownValues }

  /// Whether the statements change no rows.
  package var onlyReads: Bool {
    !steps.contains {
      let statement = statements[$0.statement]
      return statement.shape.isWrite || statement.shape.kind == .begin || statement.isSystemWrite
    }
  }

  /// Reads the statements of one app's logs in a range of lines, which are counted across all logs.
  ///
  /// - Throws: a ``Refusal`` if a file is missing, binary or not a log.
  package init(logs paths: [String], lines range: ClosedRange<Int> = 1...Int.max) throws {
    let reader = ScriptReader(lines: range)
    let files = paths.flatMap { StatementLog.logs(at: $0) }
    try reader.read(files)
    isPlain = reader.parser.statements.isPlain
    var order = TransactionOrder()
    for statement in reader.statements {
      guard let step = add(statement) else { continue }
      let statement = statements[step.statement]
      order.add(step, statement.shape, isWrite: statement.shape.isWrite || statement.isSystemWrite)
    }
    steps = order.steps()
    connections = min(reader.lanes.count, Self.mostConnections)
    (names, isCut) = (reader.parser.names, reader.isCut)
    index()
  }

  private mutating func index() {
    lines = [:]
    for (place, step) in steps.enumerated() where lines[step.line] == nil {
      lines[step.line] = place
    }
  }

  /// Returns the index of a statement's text in ``statements``, and adds the text if it is new.
  package mutating func place(of sql: String) -> Int {
    if let known = places[sql] { return known }
    places[sql] = statements.count
    statements.append(ReplayStatement(sql, isPlain: isPlain))
    return statements.count - 1
  }

  /// Replaces all steps.
  package mutating func replace(steps: [Step]) {
    self.steps = steps
    index()
  }

  private var places: [String: Int] = [:]
  private var lines: [Int: Int] = [:]

  /// Returns the index of the step at a line; -1 if no step starts there.
  package func place(ofLine line: Int) -> Int { lines[line] ?? -1 }

  private mutating func add(_ logged: ScriptReader.Statement) -> Step? {
    let place = place(of: logged.text.sql)
    let statement = statements[place]
    if let reason = Self.omission(statement) {
      omissions[reason, default: Omission(count: 0, line: logged.step.line)].count += 1
      return nil
    }
    var step = Step(
      statement: place,
      connection: logged.lane % Self.mostConnections,
      line: logged.step.line,
      values: logged.text.values,
      keys: logged.text.keys,
      rows: logged.step.counted >= 0 ? 1 : logged.step.rows,
      purpose: logged.step.purpose,
      isNested: logged.step.isNested,
      time: logged.step.time
    )
    while step.values.count < statement.roles.count { step.values.append(nil) }
    let known = step.values.count { $0 != nil }
    knownValues += known
    unknownValues += step.values.count - known
    return step
  }

  /// The pragmas that only read.
  package static let readingPragmas: Set<String> = [
    "page_count", "freelist_count", "auto_vacuum", "page_size", "journal_mode", "user_version",
    "schema_version", "table_info", "index_list", "index_info",
  ]

  /// Returns the reason why a statement cannot be replayed, as a key under which such statements
  /// are counted; `nil` if the statement can be replayed.
  private static func omission(_ statement: ReplayStatement) -> String? {
    let verb = statement.sql.split(separator: " ").first.map { $0.uppercased() } ?? ""
    switch statement.shape.kind {
    case .pragma:
      let rest = statement.sql.dropFirst(verb.count).drop { $0 == " " }
      let name = rest.prefix { $0.isLetter || $0 == "_" }.lowercased()
      let isPlain = readingPragmas.contains(name) && !rest.contains("=")
      return isPlain ? nil : "pragma \(name) (sets or does something)"
    case .schema: return "\(verb) (changes the schema)"
    case .other where verb != "SELECT":
      return "\(verb.isEmpty ? "(empty)" : verb) (not a statement of an app)"
    default: return nil
    }
  }
}

private final class ScriptReader {
  struct Statement {
    var step: LoggedStatement
    var text: LoggedText
    var lane: Int
  }

  private struct Full: Error {}

  private(set) var statements: [Statement] = []
  /// The connection number of each thread or file.
  private(set) var lanes: [Int: Int] = [:]
  private(set) var isCut = false
  private(set) var parser = LogParser { _ in }

  private let lines: ClosedRange<Int>
  private var bytes = 0
  private var file = 0

  init(lines: ClosedRange<Int>) {
    self.lines = lines
    parser = LogParser { [unowned self] in take($0) }
    parser.keepTexts()
    parser.observe = { [unowned self] _ in
      guard !isCut else { throw Full() }
    }
  }

  func read(_ files: [String]) throws {
    do {
      for path in files {
        file += 1
        try parser.read(path)
      }
    } catch is Full {}
    statements.sort { ($0.text.sequence, $0.step.line) < ($1.text.sequence, $1.step.line) }
  }

  private func take(_ statement: LoggedStatement) {
    guard lines.contains(statement.line), !isCut, let text = parser.text(ofLine: statement.line)
    else { return }
    // In SQLite's statement log, each file is one connection; statements that an app printed may
    // show their threads.
    let key =
      parser.report.isStatementLog ? statement.threadKey &<< 12 &+ file : statement.threadKey
    let lane = lanes[key] ?? lanes.count
    lanes[key] = lane
    statements.append(Statement(step: statement, text: text, lane: lane))
    bytes += text.size + 160
    isCut = statements.count >= ReplayScript.mostSteps || bytes >= ReplayScript.mostBytes
  }
}

/// Orders the steps of several connections so that only one connection writes at a time.
private struct TransactionOrder {
  private var result: [ReplayScript.Step] = []
  private var holder: Int?
  private var waiting: [(step: ReplayScript.Step, shape: StatementShape, isWrite: Bool)] = []

  mutating func add(_ step: ReplayScript.Step, _ shape: StatementShape, isWrite: Bool) {
    let needsLock = shape.kind == .begin || isWrite
    let isBlocked =
      waiting.contains { $0.step.connection == step.connection }
      || (needsLock && holder != nil && holder != step.connection)
    guard !isBlocked else {
      waiting.append((step, shape, isWrite))
      return
    }
    result.append(step)
    if shape.kind == .begin { holder = step.connection }
    if shape.kind == .commit || shape.kind == .rollback, holder == step.connection {
      holder = nil
      let released = waiting
      waiting = []
      for next in released { add(next.step, next.shape, isWrite: next.isWrite) }
    }
  }

  func steps() -> [ReplayScript.Step] { result + waiting.map(\.step) }
}
