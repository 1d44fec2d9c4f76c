import DataModel
import PersistentStore
import Runner
import SQLite

/// What plain statements are run by: a connection of the project's own, or GRDB.
protocol RowWriting: AnyObject {
  /// Runs a body in one transaction.
  func transaction(_ body: () throws -> Void) throws
  /// Runs a statement and returns how many rows it changed.
  func run(_ sql: String, _ values: [Value]) throws -> Int
  /// Appends the columns of all rows that a statement finds, row by row; returns the number of columns.
  func read(_ sql: String, _ values: [Value], into columns: inout [Value]) throws -> Int
  /// What stands in the brackets behind `IN` for a list of keys, and the values that it binds.
  func list(_ keys: ArraySlice<Int64>) throws -> (sql: String, values: [Value])
  /// The connection whose counters are read; `nil` for GRDB, which has one of its own.
  var connection: Connection? { get }
  /// Tells an observer, which must outlive the connection, of every statement.
  func trace(_ observer: any StatementObserver) throws
}

extension RowWriting {
  /// The rows that a statement finds.
  func rows(_ sql: String, _ values: [Value]) throws -> [[Value]] {
    var columns: [Value] = []
    let width = try read(sql, values, into: &columns)
    return columns.chunks(of: max(1, width)).map { Array($0) }
  }
}

extension RandomAccessCollection where Index == Int {
  /// The elements in order, at most so many at a time.
  func chunks(of size: Int) -> [SubSequence] {
    stride(from: startIndex, to: endIndex, by: size).map {
      self[$0..<Swift.min($0 + size, endIndex)]
    }
  }
}

/// Runs statements on a connection whose counters are read.
final class ConnectionWriter: RowWriting {
  private let store: Connection
  private lazy var keys = Result { try IntegerArray(connection: store, name: "batch") }

  var connection: Connection? { store }

  init(_ connection: Connection) {
    store = connection
  }

  func trace(_ observer: any StatementObserver) { store.observe(observer) }

  func transaction(_ body: () throws -> Void) throws { try store.transaction { try body() } }

  func run(_ sql: String, _ values: [Value]) throws -> Int {
    let statement = try bound(sql, values)
    try statement.run()
    return store.changes
  }

  func read(_ sql: String, _ values: [Value], into columns: inout [Value]) throws -> Int {
    let statement = try bound(sql, values)
    defer { statement.reset() }
    let width = statement.columnCount
    while try statement.step() {
      for column in 0..<width { columns.append(statement.value(at: column)) }
    }
    return width
  }

  /// The keys are bound to a table that a statement reads, as the frameworks do it.
  func list(_ keys: ArraySlice<Int64>) throws -> (sql: String, values: [Value]) {
    try self.keys.get().values = Array(keys)
    return ("SELECT value FROM batch", [])
  }

  private func bound(_ sql: String, _ values: [Value]) throws -> Statement {
    let statement = try store.cached(sql)
    for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
    return statement
  }
}

/// What does the work of a case.
enum ChangeEngine: String, CaseIterable, Sendable, PartlyBuiltChoice {
  /// An object context, as an app of the frameworks has it.
  case objectGraph
  /// Plain statements on the same layout.
  case bareSQL
  /// The same statements by GRDB.
  case grdb

  /// What runs the plain statements; `nil` for an object context.
  func writer(
    on store: PersistentStore,
    _ settings: ConnectionSettings,
    onlyReads: Bool = false
  ) throws -> (any RowWriting)? {
    switch self {
    case .objectGraph: nil
    case .bareSQL: ConnectionWriter(store.connection)
    case .grdb: try GRDBEngine.writer(on: store.file, settings, onlyReads: onlyReads)
    }
  }

  /// Counts what the store's own connection does, which is nothing of GRDB's work.
  func observe(_ store: PersistentStore, by recorder: Recorder) {
    if self == .grdb { recorder.worksUnobserved() } else { recorder.observe(store.connection) }
  }

  var absence: String? { EngineCatalogue.built.absence(of: rawValue) }

  /// Facts for the reader.
  var notes: [String] {
    self == .grdb ? [GRDBEngine.note] : []
  }
}

/// What does the work of a case that GRDB does not do.
enum PlainEngine: String, CaseIterable, Sendable {
  /// An object context.
  case objectGraph
  /// Plain statements; of a migration one for each table: the lower bound, which no app ships.
  case bareSQL
}

/// What a commit outlives.
enum CommitDurability: String, CaseIterable, Sendable {
  /// No sync: a crash of the app.
  case none
  /// The WAL is synced before a checkpoint only, as in the frameworks: a loss of power keeps the
  /// store whole and may lose the last commits.
  case normal
  /// Each commit is synced: a loss of power.
  case commit

  /// The settings of a connection with these syncs.
  func settings(_ settings: ConnectionSettings) -> ConnectionSettings {
    var settings = settings
    settings.synchronous =
      switch self {
      case .none: .off
      case .normal: .normal
      case .commit: .full
      }
    return settings
  }
}
