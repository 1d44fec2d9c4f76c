import PersistentStore
import SQLite

/// A SQLite file of an app's own, which no framework made.
package enum AppDatabase {
  /// Whether a file is such a database: SQLite's, and without the tables of the frameworks.
  package static func isOne(_ path: String) -> Bool {
    guard StoreSearch.isSQLiteFile(path), let connection = try? connection(to: path) else {
      return false
    }
    let tables = "name IN ('Z_METADATA', 'Z_PRIMARYKEY')"
    let found = try? connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE \(tables)"
    )
    return found == 0
  }

  /// A connection that reads the file where it is; nothing appears beside it.
  package static func connection(to path: String) throws -> Connection {
    let store = StoreFile(path: path)
    do {
      let mode: Connection.Mode = WriteAheadLog(of: store) == nil ? .immutable : .detached
      let connection = try Connection(path: path, mode: mode, settings: nil)
      try connection.checkCells()
      return connection
    } catch let error as SQLiteError {
      throw StoreReader.refusal(error, of: store)
    }
  }
}
