/// One statement of a log with what the lines after it state; numbers of the log only, no value.
package struct LoggedStatement: Equatable, Sendable {
  /// What an annotation calls the statement's purpose.
  package enum Purpose: Equatable, Sendable {
    case unknown
    /// Names are places in ``LogNames``.
    case fault(entity: Int, key: Int)
    case toManyFault(entity: Int, relationship: Int, key: Int)
    case prefetch(relationship: Int)
  }

  /// The line of the statement, counted over all logs read.
  package var line: Int
  /// The place in the ``StatementTable``.
  package var entry: Int
  package var process = 0
  /// The thread's number; 0 where the log shows none.
  package var thread = 0
  /// Microseconds; -1 where the log records none.
  package var time = -1
  /// Microseconds of statements that ran within this one and are a part of its time.
  package var nested = 0
  /// Rows returned; -1 where the log records none.
  package var rows = -1
  /// The result of a count; -1 where the log records none.
  package var counted = -1
  /// The batch size or fetch limit; -1 where there is none or it is bound.
  package var limit = -1
  package var purpose = Purpose.unknown
  /// A hash of bound values and literals in order; 0 where the log shows none.
  package var values: UInt64 = 0
  /// Bound values and literals that the log shows.
  package var valueCount = 0
  /// Bytes of the largest value.
  package var longestValue = 0
  /// Whether it ran within another statement, as prefetches do.
  package var isNested = false
  /// The line's own time in microseconds; -1 where the line shows none.
  package var clock = -1
  /// The plan that a log of level 4 shows: the first name of an index or `SCAN`.
  package var plan: Plan?

  package enum Plan: Equatable, Sendable {
    case scan(table: String)
    case index(table: String, name: String)
    case other
  }

  package init(line: Int, entry: Int) {
    self.line = line
    self.entry = entry
  }

  /// Tells threads of all processes apart.
  var threadKey: Int { thread &+ process &<< 40 }
  /// Microseconds of the statement itself; `nil` where the log records none.
  package var ownTime: Int? { time < 0 ? nil : max(0, time - nested) }
}

/// Names of entities and relationships that a log shows, and the tables they belong to.
package struct LogNames: Sendable {
  package private(set) var names: [String] = []
  private var places: [String: Int] = [:]
  /// The entity of each table, as annotations spell it.
  package private(set) var entities: [String: String] = [:]

  /// A log of a damaged or made-up kind cannot fill the memory.
  private static let most = 50_000

  package init() {}

  package subscript(_ place: Int) -> String { names[place] }

  mutating func place(of name: String) -> Int {
    if let known = places[name] { return known }
    guard names.count < Self.most else { return 0 }
    places[name] = names.count
    names.append(name)
    return names.count - 1
  }

  mutating func note(entity: String, of table: String) {
    guard entities[table] == nil, entities.count < Self.most,
      "Z" + entity.uppercased() == table
    else { return }
    entities[table] = entity
  }
}

/// What a log consists of, and what in it was not understood.
package struct ParsingReport: Equatable, Sendable {
  package var files: [String] = []
  package var bytes = 0
  package var lines = 0
  package var statements = 0
  /// Lines of each form of head.
  package var forms: [LineHead.Form: Int] = [:]
  /// The same message printed twice, once with a full head and once with a short one.
  package var duplicates = 0
  /// Lines that are not Core Data's.
  package var foreign = 0
  /// Lines longer than ``LineReader/longestLine``, read up to there.
  package var cut = 0
  /// Lines with a head of Core Data whose message is unknown: first words, count, first line.
  package var unknown: [String: Unknown] = [:]
  /// Times, row counts and faults without a statement that they could belong to.
  package var orphans = 0
  /// Statements that end within a literal.
  package var unfinished: [Int] = []
  package var unfinishedCount = 0
  /// Those of them that the system's log cut off.
  package var cutOff = 0
  /// Whether the last statement of the log is one of them.
  package var isTruncated = false
  /// Errors and warnings of Core Data.
  package var errors = 0
  /// Openings of a store.
  package var connections = 0
  /// Lines of checkpoints and vacuums.
  package var maintenance: [Int] = []
  package var maintenanceCount = 0
  /// Reads with parameters that have bound values, and that have none.
  package var boundReads = 0
  package var unboundReads = 0
  package var firstBound = 0
  package var firstUnbound = 0
  package var hasRowValues = false
  package var hasPlans = false
  /// Whether the log has the statements of SQLite itself, without messages of Core Data.
  package var isStatementLog = false

  package struct Unknown: Equatable, Sendable {
    package var count: Int
    package var line: Int
  }

  package init() {}

  /// The level of SQLDebug that the lines show; `nil` for logs of SQLite.
  package var level: Int? {
    if isStatementLog { return nil }
    if hasPlans { return 4 }
    if hasRowValues { return 3 }
    return boundReads > 0 ? 2 : 1
  }

  /// Whether a part of the log has bound values and another part has none.
  package var isMixed: Bool {
    let fewest = max(3, (boundReads + unboundReads) / 20)
    return boundReads >= fewest && unboundReads >= fewest
  }

  static let mostListed = 50

  /// Counts an unknown message by its first words, up to the first value.
  mutating func countUnknown(_ body: UnsafeRawBufferPointer, line: Int) {
    let end = body.firstIndex { !LineHead.isLetter($0) && $0 != 32 && $0 != 45 } ?? body.count
    let words = body.part(0..<min(end, 60)).text
    let text = words.split(separator: " ").prefix(5).joined(separator: " ")
    let key = unknown[text] != nil || unknown.count < Self.mostListed ? text : "(others)"
    unknown[key, default: Unknown(count: 0, line: line)].count += 1
  }

  mutating func countMaintenance(line: Int) {
    maintenanceCount += 1
    if maintenance.count < Self.mostListed { maintenance.append(line) }
  }
}
