import Basics
import Foundation
import Synchronization

/// The analysis of logs: their totals and findings.
package struct LogAnalysis {
  package let report: ParsingReport
  package let statements: StatementTable
  package let digest: LogDigest
  package let vocabulary: Vocabulary
  /// The findings, sorted by time, the longest first; findings without a time follow, and hints
  /// (findings that no log can confirm) come last.
  package let findings: [Finding]

  /// Reads the logs of one app, with the schema of its model or store if given.
  ///
  /// Calls `progress` with the number of statements after each 10,000.
  ///
  /// - Throws: a ``Refusal`` if a file is missing, binary or not a log.
  package init(
    of paths: [String],
    schema: LogSchema? = nil,
    progress: @escaping (Int) -> Void = { _ in }
  ) throws {
    let queue = StatementQueue()
    var count = 0
    let parser = LogParser {
      queue.add($0)
      count += 1
      if count % 10_000 == 0 { progress(count) }
    }
    queue.statements = parser.statements
    let passed = queue.passed
    let (collector, _) = try atOnce {
      Collector(of: passed)
    } _: {
      defer { queue.close() }
      for path in paths { try parser.read(path) }
    }
    report = parser.report
    statements = parser.statements
    digest = collector.digest
    vocabulary = Vocabulary(schema: schema, names: parser.names)
    findings = collector.findings(statements, vocabulary, report).sorted(by: Self.isBefore)
  }

  static func isBefore(_ first: Finding, _ second: Finding) -> Bool {
    let (left, right) = (rank(first), rank(second))
    if left != right { return left > right }
    return (first.rule.rawValue, first.summary) < (second.rule.rawValue, second.summary)
  }

  /// Returns the sort key of a finding; larger keys come first.
  ///
  /// Hints have the smallest keys, then findings whose only advice is to move the work to another
  /// thread; otherwise, longer times have larger keys.
  private static func rank(_ finding: Finding) -> (Int, Int, Confidence, Int) {
    let place = finding.isQuestion ? 0 : finding.movesWork ? 1 : 2
    return (place, finding.time ?? -1, finding.confidence, finding.calls)
  }

  /// The names of the entities' tables in the log, sorted.
  package var tables: [String] {
    digest.tables.keys.filter { !$0.hasPrefix("Z_") }.sorted()
  }

  /// Checks that a model or store has at least one table of the log.
  ///
  /// - Throws: a ``Refusal`` if it has no table of the log.
  package func check(_ schema: LogSchema, path: String) throws {
    let tables = tables
    guard !tables.isEmpty, !tables.contains(where: { schema.tables[$0] != nil }) else { return }
    let listed = tables.count > 3 ? Array(tables.prefix(3)) + ["…"] : tables
    throw Refusal.badInput(
      "'\(path)' has none of the log's tables "
        + "(\(listed.joined(separator: ", "))): pass the store or model of the app "
        + "that wrote the log"
    )
  }
}

/// Passes statements in batches from the thread that parses to the thread that counts.
private final class StatementQueue {
  /// Statements, and the entries of the ``StatementTable`` that earlier batches do not contain.
  struct Batch: Sendable {
    var statements: [LoggedStatement] = []
    var entries: [StatementTable.Entry] = []
  }

  var statements = StatementTable()
  let passed = BoundedQueue<Batch>(capacity: 16)
  private var batch = Batch()
  private var entries = 0

  private static let batchSize = 512

  func add(_ statement: LoggedStatement) {
    if batch.statements.isEmpty { batch.statements.reserveCapacity(Self.batchSize) }
    batch.statements.append(statement)
    if batch.statements.count == Self.batchSize { pass() }
  }

  func close() {
    pass()
    passed.put(nil)
  }

  private func pass() {
    batch.entries = Array(statements.entries[entries...])
    entries = statements.entries.count
    passed.put(batch)
    batch = Batch()
  }
}

private final class BoundedQueue<Value: Sendable>: Sendable {
  private let values = Mutex<[Value?]>([])
  private let places = DispatchSemaphore(value: 0)
  private let filled = DispatchSemaphore(value: 0)

  init(capacity: Int) {
    for _ in 0..<capacity { places.signal() }
  }

  func put(_ value: sending Value?) {
    places.wait()
    values.withLock { $0.append(value) }
    filled.signal()
  }

  func next() -> Value? {
    filled.wait()
    defer { places.signal() }
    return values.withLock { $0.removeFirst() }
  }
}

/// Counts the statements of a log, or of a part of it, and finds causes of slow work.
///
/// A collector is not thread-safe: another thread may read it only after the counting thread has
/// ended.
final class Collector: @unchecked Sendable {
  private(set) var digest = LogDigest()
  private var faults = FaultRules()
  private var fetches = FetchRules()
  private var prefetches = PrefetchRules()
  private var lists = ListRules()
  private var saves = SaveRules()

  init() {}

  fileprivate convenience init(of queue: BoundedQueue<StatementQueue.Batch>) {
    self.init()
    var shapes: [StatementShape] = []
    while let batch = queue.next() {
      shapes += batch.entries.map(\.shape)
      for statement in batch.statements { add(statement, shapes[statement.entry]) }
    }
    finish()
  }

  func add(_ statement: LoggedStatement, _ shape: StatementShape) {
    let step = digest.add(statement, shape)
    faults.add(statement, shape)
    fetches.add(statement, shape, step)
    prefetches.add(statement, shape)
    lists.add(statement, shape, step)
    saves.add(statement, shape, step)
  }

  func finish() {
    digest.finish()
    faults.finish()
    fetches.finish()
    prefetches.finish()
    lists.finish()
    saves.finish()
  }

  func findings(
    _ statements: StatementTable,
    _ vocabulary: Vocabulary,
    _ report: ParsingReport
  ) -> [Finding] {
    faults.findings(statements, vocabulary)
      + fetches.findings(statements, vocabulary)
      + prefetches.findings(
        statements,
        vocabulary,
        digest,
        faulting: Set(faults.found.keys.map(\.source)),
        lists: faults.listOfBatch
      ) + lists.findings(statements, vocabulary)
      + saves.findings(statements, vocabulary, digest, report)
      + IndexRules(statements: statements, digest: digest, vocabulary: vocabulary).findings()
  }
}

extension Refusal {
  package static func noSuchLog(path: String) -> Refusal {
    Refusal.noInput("there is no log at '\(path)'")
  }

  static func binary(path: String, kind: String) -> Refusal {
    Refusal.badInput(
      "'\(path)' is \(kind), not a log: name a text file with Core Data's "
        + "SQLDebug lines or an sqllog_N.sql file"
    )
  }

  static func differentKinds(_ first: String, _ second: String) -> Refusal {
    Refusal.badInput(
      "'\(first)' and '\(second)' are logs of different kinds: analyze the app's own SQLite "
        + "statements and those of Core Data apart"
    )
  }

  static func withoutStatements(path: String) -> Refusal {
    Refusal.badInput(
      "'\(path)' is a log of Core Data or SwiftData without statements: run the app with "
        + "'-com.apple.CoreData.SQLDebug 1' and record the log again"
    )
  }

  static func foreign(path: String, lines: Int) -> Refusal {
    Refusal.badInput(
      "'\(path)' is not a log of Core Data, SwiftData or SQLite: none of its "
        + "\(lines) lines contains a statement; run the app with '-com.apple.CoreData.SQLDebug 1'"
    )
  }
}
