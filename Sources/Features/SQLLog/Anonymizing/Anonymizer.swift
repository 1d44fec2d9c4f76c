import Basics

/// Writes a copy of a log that can be shared and replayed and that contains no values in clear
/// text.
///
/// The copy keeps the statements with the names of entities and properties, the times, the row
/// counts, and the equality, order and length of values. It omits the values themselves, predicates
/// in words, paths, store UUIDs, names of processes and devices, error messages, and lines that are
/// not Core Data's.
package struct Anonymizer {
  package let path: String
  private let isStatementLog: Bool

  package init(path: String) throws {
    self.path = path
    let form = try LogForm(of: path)
    guard !form.isPlain else {
      throw Refusal.badInput(
        "'\(path)' has statements on an app's own tables: their names cannot be told from values, so "
          + "no copy without values can be written"
      )
    }
    isStatementLog = form.layout == .statements
  }

  /// Writes the copy to a file that must not exist.
  ///
  /// - Throws: a refusal if the file exists or cannot be written, or if the log has too many
  ///   distinct values to rank.
  package func write(to target: String) throws {
    guard FileStatus(target, followingLinks: false) == nil else {
      throw Refusal(.cannotWrite, "'\(target)' exists already: choose another file")
    }
    let rewriter = Rewriter(isStatementLog: isStatementLog)
    try rewriter.read(path)
    rewriter.rank()
    let partial = target + ".partial"
    let file = System.open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
    guard file >= 0 else { throw Refusal.cannotWrite(target) }
    do {
      rewriter.sink = { try Self.write($0, to: file, target) }
      if isStatementLog { try rewriter.sink(Array("-- Main database is 'sqllog_00.db'\n".utf8)) }
      try rewriter.read(path)
      try rewriter.flush()
      close(file)
      guard System.rename(partial, target) == 0 else { throw Refusal.cannotWrite(target) }
    } catch {
      close(file)
      unlink(partial)
      throw error
    }
  }

  private static func write(_ bytes: [UInt8], to file: Int32, _ target: String) throws {
    guard bytes.withUnsafeBytes({ System.writeAll(file, $0) }) else {
      throw Refusal.cannotWrite(target)
    }
  }
}

/// A pass over a log that either collects the log's values or writes the anonymized copy.
private final class Rewriter {
  var sink: ([UInt8]) throws -> Void = { _ in }

  private let isStatementLog: Bool
  private var values = ValueRewriter()
  private var isCollecting = true
  private var buffer: [UInt8] = []
  private var clock = 0
  private var stores: [[UInt8]: Int] = [:]

  init(isStatementLog: Bool) {
    self.isStatementLog = isStatementLog
  }

  func read(_ path: String) throws {
    let parser = LogParser { _ in }
    parser.observe = { [unowned self] in try write($0, path) }
    try parser.read(path)
  }

  func rank() {
    values.rank()
    isCollecting = false
    clock = 0
  }

  func flush() throws {
    try sink(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private func write(_ piece: LogParser.Piece, _ path: String) throws {
    switch piece {
    case .foreign: values.copy(isStatementLog ? "-- (removed)" : "(removed)")
    case .plan(let plan): write(plan)
    case .message(let head, let prefix, let body):
      if !isStatementLog { write(head, prefix) }
      write(body, head.level)
      if isStatementLog {
        values.copy("; -- clock=\(clock)")
        clock += 1
      }
    }
    guard values.map.bytes <= ValueMap.most || !isCollecting else {
      throw Refusal.badInput(
        "'\(path)' has more than \(ValueMap.most >> 20) MiB of different values, "
          + "too many to keep their order: anonymize a part of the log"
      )
    }
    let line = values.take()
    guard !isCollecting else { return }
    buffer.append(contentsOf: line)
    buffer.append(10)
    if buffer.count > 1 << 18 { try flush() }
  }

  /// Writes the prefix of a message with its time, process ID and thread, but without names.
  private func write(_ head: LineHead, _ prefix: UnsafeRawBufferPointer) {
    if head.form == .bare || head.form == .trace { return }
    if let time = LineHead.timestamp(of: prefix) {
      let thread = head.thread == 0 ? "" : ":" + String(head.thread, radix: 16)
      values.copy(prefix.part(time.range))
      values.copy(" app[\(head.process)\(thread)] \(head.form == .syslog ? "<Debug>: " : "")")
    }
    values.copy("CoreData: \(head.level.rawValue): ")
  }

  private func write(_ plan: LoggedStatement.Plan) {
    func name(_ text: String) -> String {
      Array(text.utf8).withUnsafeBytes { FrameworkName.isIdentifier($0) } ? text : "Z"
    }
    switch plan {
    case .scan(let table): values.copy("SCAN \(name(table))")
    case .index(let table, let index):
      values.copy("SEARCH \(name(table)) USING INDEX \(name(index))")
    case .other: values.copy("USE TEMP B-TREE")
    }
  }

  private func write(_ body: UnsafeRawBufferPointer, _ level: LineHead.Level) {
    if level == .sql { return values.statement(body) }
    switch Message(body, level: level) {
    case .bind(let index, let value):
      values.copy("SQLite bind[\(index)] = ")
      values.bound(body.part(value))
    case .connectionTime(let time):
      values.copy("sql connection fetch time: \(seconds(time))s")
    case .fetchTime(let time, let rows):
      values.copy("total fetch execution time: \(seconds(time))s for \(rows) rows.")
    case .countTime(let time, let count):
      values.copy("total count request execution time: \(seconds(time))s for count of \(count).")
    case .executionTime(let time): values.copy("sql execution time: \(seconds(time))s")
    case .prefetch(let relationship, let rows):
      values.copy("Prefetching with key '")
      values.name(body[relationship])
      values.copy("'.  Got \(rows) rows.")
    case .returned(let entity, let rows, let listsValues):
      values.copy("fetch using NSSQLiteStatement <0x0> on entity '")
      values.name(body[entity])
      // Omit the SQL text: the log has the statement on its own line, and quotes in the text may be
      // doubled or not.
      values.copy("' with sql text '(removed)")
      values.copy("' returned \(rows) rows\(listsValues ? " with values: (\n)" : "")")
    case .counted(let entity, let count):
      values.copy("count request <NSFetchRequest: 0x0> (entity: ")
      values.name(body[entity])
      values.copy("; predicate: (removed); type: NSCountResultType;) returned \(count)")
    case .fault(let entity, let key):
      values.copy("fault fulfilled from database for : ")
      objectID(body, entity, key)
    case .toManyFault(let relationship, let entity, let key, let rows):
      values.copy("to-many relationship fault \"")
      values.name(body[relationship])
      values.copy("\" for objectID ")
      objectID(body, entity, key)
      values.copy(" fulfilled from database.  Got \(rows) rows")
    case .plan(let sql):
      values.copy("SQLite: EXPLAIN QUERY PLAN ")
      values.statement(body.part(sql))
    case .connecting: values.copy("Connecting to sqlite database file at \"store\"")
    case .unknown where level == .details:
      if let plan = LoggedStatement.Plan(body) { write(plan) } else { values.copy("(removed)") }
    case .maintenance, .checkpointStart, .checkpointEnd, .note, .unknown: note(body, level)
    }
  }

  /// Formats a time as the log prints it: with four decimal places or, if necessary, six.
  private func seconds(_ microseconds: Int) -> String {
    let digits = String(1_000_000 + microseconds % 1_000_000).dropFirst()
    return "\(microseconds / 1_000_000).\(microseconds % 100 == 0 ? digits.prefix(4) : digits)"
  }

  private func objectID(_ body: UnsafeRawBufferPointer, _ entity: Range<Int>, _ key: Int) {
    let start = body.place(of: "x-coredata://").map { $0 + 13 } ?? entity.lowerBound
    let store = Array(body[start..<max(start, entity.lowerBound - 1)])
    let number = stores[store] ?? stores.count + 1
    stores[store] = number
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(0, 12 - digits.count))
    values.copy("0x0 <x-coredata://00000000-0000-0000-0000-\(zeros)\(digits)/")
    values.name(body[entity])
    values.copy("/p")
    values.number(Array(String(key).utf8))
    values.copy(">")
  }

  /// The words in messages about the store's maintenance after a save.
  private static let upkeepWords: Set<String> = [
    "PostSaveMaintenance", "incremental", "vacuum", "with", "freelist", "count", "and", "pages",
    "to", "free", "fileSize", "greater", "than", "prune", "threshold", "wal", "checkpoint",
    "TRUNCATE", "WAL", "Database", "did", "Log", "size", "checkpointed", "busy", "locked",
  ]

  /// Writes the parts of a message that are Core Data's fixed wording and removes the rest.
  private func note(_ body: UnsafeRawBufferPointer, _ level: LineHead.Level) {
    let kept: [StaticString] = [
      "Bound intarray values.", "Bound intarray", "creating schema.", "Creating primary key table.",
      "Core Data multi-threading assertions enabled.",
    ]
    if level == .annotation, let words = kept.first(where: { body.has($0) }) {
      return values.copy("\(words)")
    }
    let isUpkeep = body.has("PostSaveMaintenance: ") || body.has("WAL checkpoint: ")
    let words = body.split { !LineHead.isLetter($0) }.map {
      String(decoding: $0, as: UTF8.self)
    }
    if isUpkeep, words.allSatisfy(Self.upkeepWords.contains) { return values.copy(body) }
    values.copy("(removed)")
  }
}
