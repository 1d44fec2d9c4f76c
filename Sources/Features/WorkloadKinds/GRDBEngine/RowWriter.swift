import DataModel
import GRDB
import PersistentStore
import SQLite

/// Plain statements on a store by GRDB, several in one transaction.
final class RowWriter: RowWriting {
  private let queue: DatabaseQueue
  /// Inside a transaction.
  private var database: Database?

  /// Opens a store with the pragmas of the settings.
  ///
  /// - Throws: GRDB's `DatabaseError` where it cannot be opened.
  init(file: StoreFile, settings: ConnectionSettings) throws {
    queue = try RowCopy.open(file, settings, isReadOnly: false)
  }

  /// Runs a body in one transaction.
  func transaction(_ body: () throws -> Void) throws {
    try queue.write { database in
      self.database = database
      defer { self.database = nil }
      try body()
    }
  }

  /// Runs a statement and returns how many rows it changed.
  func run(_ sql: String, _ values: [Value]) throws -> Int {
    try inDatabase { database in
      try database.cachedStatement(sql: sql).execute(arguments: Self.arguments(values))
      return database.changesCount
    }
  }

  /// The rows that a statement finds.
  func rows(_ sql: String, _ values: [Value]) throws -> [[Value]] {
    try inDatabase { database in
      let statement = try database.cachedStatement(sql: sql)
      let cursor = try Row.fetchCursor(statement, arguments: Self.arguments(values))
      var rows: [[Value]] = []
      while let row = try cursor.next() { rows.append(row.databaseValues.map(Value.init)) }
      return rows
    }
  }

  private func inDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
    if let database { return try body(database) }
    return try queue.write(body)
  }

  private static func arguments(_ values: [Value]) -> StatementArguments {
    StatementArguments(values.map(\.databaseValue))
  }
}

extension Value {
  fileprivate init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .null: .null
      case .int64(let value): .integer(value)
      case .double(let value): .real(value)
      case .string(let value): .text(value)
      case .blob(let data): .blob(Array(data))
      }
  }
}
