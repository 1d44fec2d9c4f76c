import DataModel
import SQLite

/// Opens the file of a store and says what is wrong where it cannot be opened.
package enum StoreOpening {
  /// Opens a connection to a file that must hold Core Data's tables.
  static func connect(
    _ file: StoreFile,
    mode: Connection.Mode,
    settings: ConnectionSettings
  ) throws -> Connection {
    guard file.exists else { throw PersistentStoreError.missing(path: file.path) }
    do {
      let connection = try Connection(path: file.path, mode: mode, settings: settings)
      for table in ["Z_PRIMARYKEY", "Z_METADATA"] where try !hasTable(table, connection) {
        throw PersistentStoreError.notCoreData(path: file.path, missing: "table \(table)")
      }
      try TriggerFunctions.register(on: connection)
      return connection
    } catch let error as SQLiteError {
      throw translated(error, path: file.path)
    }
  }

  /// What an error of SQLite says of the store at a path.
  package static func translated(_ error: SQLiteError, path: String) -> any Error {
    if error.isNotADatabase { return PersistentStoreError.notSQLite(path: path) }
    if error.isBusy { return PersistentStoreError.locked(path: path) }
    if error.isCorrupt { return PersistentStoreError.damaged(path: path, reason: error.message) }
    return error
  }

  static func hasTable(_ name: String, _ connection: Connection) throws -> Bool {
    try !connection.texts(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?",
      for: name
    ).isEmpty
  }

  /// Checks that every table and column of a layout is in the file.
  static func check(_ layout: StoreLayout, against connection: Connection, path: String) throws {
    for (table, columns) in layout.tableColumns {
      let present = Set(try connection.columnNames(of: table))
      for column in columns where !present.contains(column) {
        throw PersistentStoreError.modelMismatch(path: path, table: table, column: column)
      }
    }
  }
}

extension Connection {
  /// The texts in the first column of a query with at most one parameter.
  func texts(_ sql: String, for parameter: String? = nil) throws -> [String] {
    let statement = try prepare(sql)
    if let parameter { statement.bind(parameter, at: 1) }
    var texts: [String] = []
    while try statement.step() { texts.append(statement.text(at: 0)) }
    return texts
  }

  /// The names of a table's columns; none where there is no such table.
  func columnNames(of table: String) throws -> [String] {
    try texts("SELECT name FROM pragma_table_info(?1)", for: table)
  }
}

/// The SQL functions that triggers of derived attributes call to tell an object context what they
/// changed, and that exist only inside Core Data (coredata-format.md, section 7).
///
/// Without them every insertion into such a table fails. Equivalents without notifications are enough:
/// the triggers change the rows by plain SQL.
enum TriggerFunctions {
  /// The names seen in real stores.
  private static let known = [
    "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    "NSCoreDataDATriggerUpdatedAffectedObjectValue",
    "NSCoreDataTriggerUpdateAffectedObjectValue",
  ]
  /// Names of one store that are registered beside them.
  private static let most = 32

  /// Registers the functions that the triggers of a connection's file call.
  static func register(on connection: Connection) throws {
    let triggers = try connection.texts(
      "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%NSCoreData%'"
    )
    let names = Set(triggers.flatMap(calls))
    guard !names.isEmpty else { return }
    for name in Set(known).union(names.sorted().prefix(most)).sorted() {
      try connection.registerEmptyFunction(name)
    }
  }

  /// The names of the framework's trigger functions in a text of SQL.
  static func calls(in sql: String) -> [String] {
    let words = sql.utf8.split { !isWordByte($0) }
    return words.compactMap { word in
      let name = String(decoding: word, as: UTF8.self)
      // Other functions of the framework compute values, which a stand-in would get wrong.
      return name.hasPrefix("NSCoreData") && name.contains("Trigger") && name.utf8.count < 256
        ? name : nil
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f: true
    default: false
    }
  }
}
