import Basics
import Runner
import SQLite

/// An open SQLite file for use by one thread at a time.
///
/// In addition to SQLite itself, it supports measurement: it counts operations exactly, and can
/// pause for the other side of a live comparison. A workload kind may use any other library, but
/// then only file operations are counted.
///
/// ```swift
/// let database = try Database(path: trial.store.path, isReadOnly: true)
/// let open = try database.rows("SELECT Z_PK FROM ZTASK WHERE ZISCOMPLETED = ?1", false)
/// ```
public final class Database {
  /// A value that SQLite stores.
  public enum Value: Hashable, Sendable {
    /// The NULL value.
    case null
    /// An integer; Booleans are 0 and 1.
    case integer(Int64)
    /// A floating-point number; dates are seconds since 2001.
    case real(Double)
    /// Text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
  }

  let connection: Connection

  /// Opens a file with StoreBench's settings: WAL, `synchronous=NORMAL`, and a cache of 2,000
  /// pages.
  ///
  /// - Throws: An error that names the file if it does not exist or is not an SQLite file.
  public init(path: String, isReadOnly: Bool = false) throws {
    connection = try Connection(path: path, mode: isReadOnly ? .readOnly : .readWrite)
  }

  /// Runs one statement to completion; `?1` in the statement refers to the first value.
  ///
  /// - Throws: An error with SQLite's message and the statement.
  public func execute(_ sql: String, _ values: any DatabaseValue...) throws {
    let statement = try bound(sql, values)
    defer { statement.reset() }
    while try statement.step() {}
  }

  /// Returns the rows of a statement, each as an array of its columns; all rows are kept in memory.
  ///
  /// - Throws: An error with SQLite's message and the statement.
  public func rows(_ sql: String, _ values: any DatabaseValue...) throws -> [[Value]] {
    let statement = try bound(sql, values)
    defer { statement.reset() }
    var rows: [[Value]] = []
    while try statement.step() { rows.append(statement.values) }
    return rows
  }

  /// Returns the integer in the first column of the first row, or `nil` if there is no row or the
  /// value is NULL.
  ///
  /// - Throws: An error with SQLite's message and the statement.
  public func integer(_ sql: String, _ values: any DatabaseValue...) throws -> Int? {
    let statement = try bound(sql, values)
    // Reset the statement, because an unfinished statement would prevent a checkpoint of the WAL.
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return Int(statement.integer(at: 0))
  }

  /// Performs work in a transaction, which is rolled back if the work throws.
  ///
  /// - Throws: The error of the work, or SQLite's error from the commit.
  public func transaction<Result>(_ work: () throws -> Result) throws -> Result {
    try connection.transaction { try work() }
  }

  private func bound(_ sql: String, _ values: [any DatabaseValue]) throws -> Statement {
    let statement = try connection.cached(sql)
    statement.clearBindings()
    for (place, value) in values.enumerated() {
      switch value.databaseValue {
      case .null: statement.bindNull(at: place + 1)
      case .integer(let value): statement.bind(value, at: place + 1)
      case .real(let value): statement.bind(value, at: place + 1)
      case .text(let value): statement.bind(value, at: place + 1)
      case .blob(let value): statement.bind(value, at: place + 1)
      }
    }
    return statement
  }
}

extension Statement {
  var values: [Database.Value] {
    (0..<columnCount).map { column in
      switch storageClass(at: column) {
      case .null: .null
      case .integer: .integer(integer(at: column))
      case .real: .real(real(at: column))
      case .text: .text(text(at: column))
      case .blob: .blob(blob(at: column))
      }
    }
  }
}

/// A value that can be bound to a statement: a number, a Boolean, a string or bytes.
public protocol DatabaseValue {
  /// The value in the form that SQLite stores.
  var databaseValue: Database.Value { get }
}

extension Int: DatabaseValue {
  /// The number as an integer.
  public var databaseValue: Database.Value { .integer(Int64(self)) }
}

extension Bool: DatabaseValue {
  /// 1 for `true`, 0 for `false`.
  public var databaseValue: Database.Value { .integer(self ? 1 : 0) }
}

extension Double: DatabaseValue {
  /// The number as a floating-point value.
  public var databaseValue: Database.Value { .real(self) }
}

extension String: DatabaseValue {
  /// The string as text.
  public var databaseValue: Database.Value { .text(self) }
}

extension Database.Value: DatabaseValue {
  /// The value itself.
  public var databaseValue: Database.Value { self }
}

extension Recorder {
  /// Counts the database's operations from now on: pages read and written, steps and statements.
  ///
  /// Call it at the start of `run`: in a live comparison, statements can wait for the other side
  /// only if their database is observed.
  public func observe(_ database: Database) {
    observe(database.connection)
  }
}
