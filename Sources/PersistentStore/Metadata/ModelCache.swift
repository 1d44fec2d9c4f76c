import DataModel
import SQLite

enum ModelCache {
  static func read(from connection: Connection, path: String) throws -> Model {
    throw PersistentStoreError.noModel(path: path)
  }
}
