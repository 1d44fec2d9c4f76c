import Basics
import Runner
import SQLite

/// An open SQLite file, used by one thread at a time.
///
/// It adds to SQLite only what measurement needs: exact counters, and waiting in a live comparison.
/// A kind may work with any other library; its counters are then those of files alone.
///
/// ```swift
/// let database = try Database(path: trial.store.path, isReadOnly: true)
/// let open = try database.rows("SELECT Z_PK FROM ZTASK WHERE ZISCOMPLETED = ?1", false)
/// ```
public final class Database {
  /// A value that SQLite stores.
  public enum Value: Hashable, Sendable {
    /// No value.
    case null
    /// A whole number; truth values are 0 and 1.
    case integer(Int64)
    /// A floating-point number; dates are seconds since 2001.
    case real(Double)
    /// A text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
  }

  let connection: Connection

  /// Opens a file with the settings of StoreBench: WAL, `synchronous=NORMAL`, 2,000 pages of cache.
  ///
  /// - Throws: An error that names the file where there is none, or where it is no SQLite file.
  public init(path: String, isReadOnly: Bool = false) throws {
    connection = try Connection(path: path, mode: isReadOnly ? .readOnly : .readWrite)
  }

  /// Runs one statement to its end; `?1` stands for the first of the values.
  ///
  /// - Throws: An error with SQLite's message and the statement.
  public func execute(_ sql: String, _ values: any DatabaseValue...) throws {
    let statement = try bound(sql, values)
    defer { statement.reset() }
    while try statement.step() {}
  }

  /// The rows of a statement, each with its columns in order; all of them are held in memory.
  ///
  /// - Throws: An error with SQLite's message and the statement.
  public func rows(_ sql: String, _ values: any DatabaseValue...) throws -> [[Value]] {
    let statement = try bound(sql, values)
    defer { statement.reset() }
    var rows: [[Value]] = []
    while try statement.step() { rows.append(statement.values) }
    return rows
  }

  /// The integer in the first column of the first row; `nil` without a row, or for NULL.
  ///
  /// - Throws: An error with SQLite's message and the statement.
  public func integer(_ sql: String, _ values: any DatabaseValue...) throws -> Int? {
    let statement = try bound(sql, values)
    // An open statement would keep the WAL from being moved into the file.
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return Int(statement.integer(at: 0))
  }

  /// Runs some work in a transaction, which is rolled back where the work throws.
  ///
  /// - Throws: What the work throws, and SQLite's errors of the commit.
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
  /// The columns of the present row.
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

/// A value that can be bound to a statement: a number, a truth value, a text, bytes.
public protocol DatabaseValue {
  /// The value as SQLite stores it.
  var databaseValue: Database.Value { get }
}

extension Int: DatabaseValue {
  /// An integer.
  public var databaseValue: Database.Value { .integer(Int64(self)) }
}

extension Bool: DatabaseValue {
  /// 1 for `true`, 0 for `false`.
  public var databaseValue: Database.Value { .integer(self ? 1 : 0) }
}

extension Double: DatabaseValue {
  /// A floating-point number.
  public var databaseValue: Database.Value { .real(self) }
}

extension String: DatabaseValue {
  /// A text.
  public var databaseValue: Database.Value { .text(self) }
}

extension Database.Value: DatabaseValue {
  /// The value itself.
  public var databaseValue: Database.Value { self }
}

extension Recorder {
  /// Counts what a database does from here on: pages read and written, steps, statements.
  ///
  /// Call it first in `run`: in a live comparison, only the statements of an observed database can
  /// be made to wait for the other side.
  public func observe(_ database: Database) {
    observe(database.connection)
  }
}
