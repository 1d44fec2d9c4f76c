import Compression
import DataModel
import SQLite

/// The model that a store carries in Z_MODELCACHE: a keyed archive in raw deflate
/// (coredata-format.md, section 9).
package enum ModelCache {
  /// Bytes of the largest model that is unpacked; the largest one seen has under 1 MB.
  private static let limit = 16 << 20

  /// The content of the table's one row; stored blocks, so that no library's version shows in it.
  package static func content(of model: Model) -> [UInt8] {
    Deflate.store(ModelArchive.write(model))
  }

  /// Reads a store's own model.
  ///
  /// - Throws: ``PersistentStoreError/noModel(path:)`` where it has none,
  ///   ``PersistentStoreError/damaged(path:reason:)`` where it cannot be read.
  package static func read(from connection: Connection, path: String) throws -> Model {
    try readReporting(from: connection, path: path).model
  }

  /// Reads a store's own model, with the names of what was not understood in it.
  package static func readReporting(
    from connection: Connection,
    path: String
  ) throws -> (model: Model, unknown: [String]) {
    guard try StoreOpening.hasTable("Z_MODELCACHE", connection) else {
      throw PersistentStoreError.noModel(path: path)
    }
    let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE")
    guard try statement.step() else { throw PersistentStoreError.noModel(path: path) }
    do {
      let archive = try Deflate.decompress(statement.blob(at: 0), limit: limit)
      return try ModelArchive.read(archive)
    } catch {
      throw PersistentStoreError.damaged(
        path: path,
        reason: "the model in Z_MODELCACHE cannot be read: \(error)"
      )
    }
  }
}
