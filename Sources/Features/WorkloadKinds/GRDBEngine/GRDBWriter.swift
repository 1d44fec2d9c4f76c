#if GRDB
  import Basics
  import DataModel
  import Foundation
  import GRDB
  import PersistentStore
  import SQLite

  final class GRDBWriter: RowWriting {
    private let queue: DatabaseQueue
    private let onlyReads: Bool
    private var database: Database?

    /// Opens a store with the pragmas of the settings.
    ///
    /// A connection that only reads must be opened read-only, because setting `auto_vacuum` alone
    /// would write a page.
    /// - Throws: GRDB's `DatabaseError` if the store cannot be opened.
    init(file: StoreFile, settings: ConnectionSettings, onlyReads: Bool) throws {
      self.onlyReads = onlyReads
      var configuration = Configuration()
      configuration.readonly = onlyReads
      configuration.prepareDatabase {
        try $0.configure(settings, but: onlyReads ? ConnectionSettings.fileProperties : [])
      }
      queue = try DatabaseQueue(path: file.path, configuration: configuration)
      // Read the schema before the first statement. An app would have read it long before, and the
      // object context reads it when it opens the store.
      _ = try queue.read { try $0.tableExists("Z_PRIMARYKEY") }
    }

    var connection: Connection? { nil }

    func trace(_ observer: any StatementObserver) throws {
      try queue.read { database in
        guard let connection = database.sqliteConnection else { return }
        StatementTally.trace(connection, for: observer)
      }
    }

    func transaction(_ body: () throws -> Void) throws {
      try queue.write { database in
        self.database = database
        defer { self.database = nil }
        try body()
      }
    }

    func run(_ sql: String, _ values: [Value]) throws -> Int {
      try inDatabase { database in
        try database.cachedStatement(sql: sql).execute(arguments: Self.arguments(values))
        return database.changesCount
      }
    }

    func read(_ sql: String, _ values: [Value], into columns: inout [Value]) throws -> Int {
      try inDatabase { database in
        let statement = try database.cachedStatement(sql: sql)
        let cursor = try Row.fetchCursor(statement, arguments: Self.arguments(values))
        let width = statement.columnCount
        while let row = try cursor.next() {
          for index in 0..<width { columns.append(row[index] as Value? ?? .null) }
        }
        return width
      }
    }

    /// Bind the keys as JSON, because the number of bound parameters is limited and each number of
    /// keys would need its own statement.
    func list(_ keys: ArraySlice<Int64>) -> (sql: String, values: [Value]) {
      let json = "[" + keys.map(String.init).joined(separator: ",") + "]"
      return ("SELECT value FROM json_each(?)", [.text(json)])
    }

    private func inDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
      if let database { return try body(database) }
      return try onlyReads ? queue.read(body) : queue.write(body)
    }

    private static func arguments(_ values: [Value]) -> StatementArguments {
      StatementArguments(values.map(\.databaseValue))
    }
  }

  extension Database {
    /// Configures a connection like StoreBench's own connections, with the same pragmas and an
    /// untrusted schema.
    func configure(_ settings: ConnectionSettings, but omitted: Set<String>) throws {
      if let sqliteConnection { SchemaTrust.withdraw(from: sqliteConnection) }
      for (name, value) in settings.pragmas where !omitted.contains(name) {
        try execute(sql: "PRAGMA \(name)=\(value)")
      }
      if let sqliteConnection { SchemaTrust.defend(sqliteConnection) }
    }
  }

  extension Value: DatabaseValueConvertible, StatementColumnConvertible {
    package init?(sqliteStatement: SQLiteStatement, index: CInt) {
      self = Cell(statement: sqliteStatement, column: index).value
    }

    package static func fromDatabaseValue(_ value: DatabaseValue) -> Value? {
      switch value.storage {
      case .null: nil
      case .int64(let value): .integer(value)
      case .double(let value): .real(value)
      case .string(let value): .text(value)
      case .blob(let data): .blob(Array(data))
      }
    }

    package var databaseValue: DatabaseValue {
      switch self {
      case .null: .null
      case .integer(let value): value.databaseValue
      case .real(let value): value.databaseValue
      case .text(let value): value.databaseValue
      case .blob(let bytes): Data(bytes).databaseValue
      }
    }
  }

  extension DatabaseError: ErrorWithStatus {
    package var status: CommandStatus { .failedIO }
    package var isFullDisk: Bool { resultCode == .SQLITE_FULL }
  }
#endif
