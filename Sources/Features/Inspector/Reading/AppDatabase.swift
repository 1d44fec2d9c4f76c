import PersistentStore
import SQLite

/// An app's own SQLite file, which neither Core Data nor SwiftData created.
package enum AppDatabase {
  /// Whether a file is a SQLite database without Core Data's tables.
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

  /// Opens a connection that reads the file in place and creates no other files.
  ///
  /// - Throws: ``PersistentStoreError`` if the file cannot be read.
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
