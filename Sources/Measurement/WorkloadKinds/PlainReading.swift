import DataModel
import PersistentStore
import SQLite

extension StoreFile {
  /// A connection that only reads, and writes nothing beside a store that is at rest.
  ///
  /// - Throws: ``PersistentStoreError/missing(path:)``, ``SQLiteError``
  func plainConnection() throws -> Connection {
    guard exists else { throw PersistentStoreError.missing(path: path) }
    let isAtRest = walBytes == 0 && StoreFile.bytes(at: journal) == 0
    return try Connection(path: path, mode: isAtRest ? .immutable : .readOnly, settings: nil)
  }

  /// The model that a store carries.
  ///
  /// - Throws: ``PersistentStoreError`` for a file that is no store or carries no model.
  func ownModel() throws -> Model {
    try ModelCache.read(from: plainConnection(), path: path)
  }
}
