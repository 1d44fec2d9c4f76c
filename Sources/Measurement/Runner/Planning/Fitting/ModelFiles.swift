import DataModel
import PersistentStore
import SQLite

/// The models that parameters name, each read once.
package final class ModelFiles {
  private let folder: String
  private var known: [String: Result<ModelFamily, any Error>] = [:]

  /// Paths are relative to a workloads folder.
  package init(folder: String) {
    self.folder = folder
  }

  /// The versions of the model at a path; of a store, which may be empty, the one that it carries.
  ///
  /// - Throws: ``DataModelError``; ``PersistentStoreError`` for a store that carries none.
  package func family(at path: String) throws -> ModelFamily {
    if let result = known[path] { return try result.get() }
    let full = path.hasPrefix("/") ? path : folder + "/" + path
    let result = Result {
      try StoreHeader(path: full) == nil
        ? ModelSource.read(path: full) : Self.family(carriedBy: MadeStore(path: full))
    }
    known[path] = result
    return try result.get()
  }

  private static func family(carriedBy store: MadeStore) throws -> ModelFamily {
    let connection = try store.connectInPlace()
    let path = store.source.path
    do {
      let version = VersionedSchema(
        name: store.source.name,
        model: try ModelCache.read(from: connection, path: path)
      )
      let hashes = try StoreMetadata(from: connection, path: path).versionHashes
      return ModelFamily(versions: [version], versionHashes: [version.name: hashes])
    } catch let error as SQLiteError {
      throw StoreOpening.translated(error, path: path)
    }
  }
}
