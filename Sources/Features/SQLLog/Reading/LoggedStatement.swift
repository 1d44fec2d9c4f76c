import Basics

/// A statement of a log with the details from the lines after it; contains no values in clear text.
package struct LoggedStatement: Equatable, Sendable {
  /// The purpose of a statement according to an annotation.
  package enum Purpose: Equatable, Sendable {
    case unknown
    /// Reads an object; names of entities and relationships are indexes into ``LogNames``.
    case fault(entity: Int, key: Int)
    case toManyFault(entity: Int, relationship: Int, key: Int)
    case prefetch(relationship: Int)
  }

  /// The statement's line number, counted across all logs.
  package var line: Int
  /// The index of the entry in the ``StatementTable``.
  package var entry: Int
  package var process = 0
  /// The thread's number; 0 if the log does not show it.
  package var thread = 0
  /// The time in microseconds; -1 if the log does not show it.
  package var time = -1
  /// The microseconds of statements that ran within this statement; they are included in ``time``.
  package var nested = 0
  /// The number of returned rows; -1 if the log does not show it.
  package var rows = -1
  /// The result of a count; -1 if the log does not show it.
  package var counted = -1
  /// The batch size or fetch limit; -1 if there is none or if it is a bound parameter.
  package var limit = -1
  package var purpose = Purpose.unknown
  /// A hash of the bound values and literals in order; 0 if the log shows none.
  package var values: UInt64 = 0
  /// The number of bound values and literals that the log shows.
  package var valueCount = 0
  /// The size of the largest value in bytes.
  package var longestValue = 0
  /// Whether the statement ran within another statement, as prefetches do.
  package var isNested = false
  /// The line's timestamp in microseconds; -1 if the line does not show it.
  package var clock = -1
  /// The query plan that a log shows at SQLDebug level 4: the first index or `SCAN`.
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

  /// A key that distinguishes the threads of all processes.
  var threadKey: Int { thread &+ process &<< 40 }
  /// The statement's time in microseconds without nested statements; `nil` if the log does not show
  /// it.
  package var ownTime: Int? { time < 0 ? nil : max(0, time - nested) }
}

/// The names of entities and relationships in a log, and the entities of its tables.
package struct LogNames: Sendable {
  package private(set) var names: [String] = []
  private var places: [String: Int] = [:]
  /// The entity of each table, as spelled in annotations.
  package private(set) var entities: [String: String] = [:]

  /// The maximum number of names, so that a damaged or forged log cannot exhaust memory.
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

/// The contents of the logs and the parts that were not understood.
package struct ParsingReport: Equatable, Sendable {
  package var files: [String] = []
  package var bytes = 0
  package var lines = 0
  package var statements = 0
  /// The number of lines for each form of line prefix (timestamp, process and thread).
  package var forms: [LineHead.Form: Int] = [:]
  /// The number of messages printed twice, once with the full prefix and once with a short prefix.
  package var duplicates = 0
  /// The number of lines that are not Core Data's.
  package var foreign = 0
  /// The number of statements that the unified log shows as `<private>`.
  package var hidden = 0
  /// The number of lines longer than ``LineReader/longestLine``; only the start of such a line was
  /// read.
  package var cut = 0
  /// The unknown messages of Core Data by their first words, with count and first line.
  package var unknown: [String: Unknown] = [:]
  /// The number of messages with a time, a row count or a fault that could not be assigned to a
  /// statement.
  package var orphans = 0
  /// The lines of the statements that are not complete, up to a maximum number.
  package var unfinished: [Int] = []
  package var unfinishedCount = 0
  /// The number of unfinished statements that the unified log truncated.
  package var cutOff = 0
  /// Whether the last statement of the log is unfinished.
  package var isTruncated = false
  /// The number of errors and faults that Core Data reported.
  package var errors = 0
  /// The number of times that a store was opened.
  package var connections = 0
  /// The lines of checkpoints and vacuums, up to a maximum number.
  package var maintenance: [Int] = []
  package var maintenanceCount = 0
  /// The number of reads with parameters whose values are logged.
  package var boundReads = 0
  package var unboundReads = 0
  package var firstBound = 0
  package var firstUnbound = 0
  package var hasRowValues = false
  package var hasPlans = false
  /// Whether the log has SQLite's own statements, without Core Data's messages.
  package var isStatementLog = false

  package struct Unknown: Equatable, Sendable {
    package var count: Int
    package var line: Int
  }

  package init() {}

  /// The level of SQLDebug that the lines indicate; `nil` for logs of SQLite.
  package var level: Int? {
    if isStatementLog { return nil }
    if hasPlans { return 4 }
    if hasRowValues { return 3 }
    return boundReads > 0 ? 2 : 1
  }

  /// Whether one part of the log has bound values and another part has none.
  package var isMixed: Bool {
    let fewest = max(3, (boundReads + unboundReads) / 20)
    return boundReads >= fewest && unboundReads >= fewest
  }

  /// The number of messages with a prefix that does not occur in prose.
  var messages: Int { forms.reduce(0) { $0 + ($1.key.isWeak ? 0 : $1.value) } }

  /// Sentences about the details of statements that the logs do not show.
  package var notes: [String] {
    var notes: [String] = []
    if isMixed { notes.append("mixed levels: the log shows values for only some of the fetches") }
    if isTruncated { notes.append("truncated: a log ends within a statement") }
    return notes + systemNotes
  }

  /// Sentences about the details of statements that the unified log removed.
  var systemNotes: [String] {
    let remedy = "run the app with -com.apple.CoreData.Logging.stderr 1 and save its standard error"
    var notes: [String] = []
    if cutOff > 0 {
      notes.append(
        "cut off: \(Figures.counted(cutOff, "statement")), because the system's log keeps only "
          + "1,024 bytes of a message; \(remedy)"
      )
    }
    if hidden > 0 {
      notes.append(
        "hidden: \(Figures.counted(hidden, "statement")), which the system's log shows as "
          + "'<private>'; \(remedy)"
      )
    }
    return notes
  }

  static let mostListed = 50

  /// Counts an unknown message under its first words, which end before its first value.
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
