import DataModel
import PersistentStore
import Runner
import SQLite

/// Runs SQL statements, on StoreBench's own connection or through GRDB.
protocol RowWriting: AnyObject {
  func transaction(_ body: () throws -> Void) throws
  /// Runs a statement and returns the number of rows that it changed.
  func run(_ sql: String, _ values: [Value]) throws -> Int
  /// Appends the values of all rows that a statement returns, row by row, and returns the number of
  /// columns.
  func read(_ sql: String, _ values: [Value], into columns: inout [Value]) throws -> Int
  /// The SQL inside the parentheses of `IN (…)` for a list of keys, and the values that it binds.
  func list(_ keys: ArraySlice<Int64>) throws -> (sql: String, values: [Value])
  /// The connection whose counters are read; `nil` for GRDB, which has its own connection.
  var connection: Connection? { get }
  /// Reports every statement to an observer, which must outlive the connection.
  func trace(_ observer: any StatementObserver) throws
}

extension RowWriting {
  func rows(_ sql: String, _ values: [Value]) throws -> [[Value]] {
    var columns: [Value] = []
    let width = try read(sql, values, into: &columns)
    return columns.chunks(of: max(1, width)).map { Array($0) }
  }
}

extension RandomAccessCollection where Index == Int {
  func chunks(of size: Int) -> [SubSequence] {
    stride(from: startIndex, to: endIndex, by: size).map {
      self[$0..<Swift.min($0 + size, endIndex)]
    }
  }
}

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

  /// Binds the keys to a virtual table that the statement reads, as Core Data does.
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

/// The engine that does the work of a case.
enum ChangeEngine: String, CaseIterable, Sendable, PartlyBuiltChoice {
  /// An object context, as used by a Core Data or SwiftData app.
  case objectGraph
  /// SQL statements on the tables of a Core Data layout, run on StoreBench's own connection.
  case bareSQL
  /// SQL statements on the tables of a Core Data layout, run through GRDB.
  case grdb

  /// The writer that runs the SQL statements; `nil` for an object context.
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

  /// Counts the work of the store's connection.
  ///
  /// GRDB's work is marked as unobserved, because GRDB uses its own connection.
  func observe(_ store: PersistentStore, by recorder: Recorder) {
    if self == .grdb { recorder.worksUnobserved() } else { recorder.observe(store.connection) }
  }

  var absence: String? { EngineCatalogue.built.absence(of: rawValue) }

  var notes: [String] {
    self == .grdb ? [GRDBEngine.note] : []
  }
}

/// The engine of a workload kind that does not support GRDB.
enum PlainEngine: String, CaseIterable, Sendable {
  case objectGraph
  /// SQL statements (for a migration, one per table): a lower bound that no app would ship.
  case bareSQL
}

/// The failures that a commit survives.
enum CommitDurability: String, CaseIterable, Sendable {
  /// Survives a crash of the app: nothing is synced.
  case none
  /// Survives a loss of power intact, but may lose the last commits: as in Core Data, the WAL is
  /// synced only before a checkpoint.
  case normal
  /// Survives a loss of power: each commit is synced.
  case commit

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
