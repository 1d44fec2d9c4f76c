import Basics
import DataModel
import SQLite

/// The rows of the system tables of a new store.
package struct SystemRows {
  /// The rows of one table, with a value for every column.
  package struct Table: Hashable, Sendable {
    package let name: String
    package let rows: [[Value]]
  }

  private let layout: StoreLayout
  private let metadata: StoreMetadata
  private let highestKeys: [Int: Int]

  /// Creates the rows; `highestKeys` contains the highest used key by entity number, for entities
  /// with objects.
  package init(layout: StoreLayout, metadata: StoreMetadata, highestKeys: [Int: Int] = [:]) {
    self.layout = layout
    self.metadata = metadata
    self.highestKeys = highestKeys
  }

  /// The tables with their rows, in the order of the schema.
  package var tables: [Table] {
    [
      Table(
        name: "Z_PRIMARYKEY",
        rows: layout.primaryKeyRows.map { number, name, above in
          [
            .integer(Int64(number)), .text(name), .integer(Int64(above)),
            .integer(Int64(highestKeys[number] ?? 0)),
          ]
        }
      ),
      Table(
        name: "Z_METADATA",
        rows: [[.integer(1), .text(metadata.uuid), .blob(metadata.propertyList.binary())]]
      ),
      Table(name: "Z_MODELCACHE", rows: [[.blob(ModelCache.content(of: layout.model))]]),
    ]
  }

  package func write(to connection: Connection) throws {
    // A model without entities has no rows in Z_PRIMARYKEY.
    for table in tables where !table.rows.isEmpty {
      let marks = Array(repeating: "?", count: table.rows.first?.count ?? 0)
      let insert = try connection.prepare(
        "INSERT INTO \(table.name) VALUES (\(marks.joined(separator: ", ")))"
      )
      for row in table.rows {
        for (place, value) in row.enumerated() { insert.bind(value, at: place + 1) }
        try insert.run()
      }
    }
  }
}

extension StoreLayout {
  var primaryKeyRows: [(number: Int, name: String, above: Int)] {
    let history =
      keepsHistory
      ? [
        (EntityNumbers.change, "CHANGE", 0), (EntityNumbers.transaction, "TRANSACTION", 0),
        (EntityNumbers.transactionString, "TRANSACTIONSTRING", 0),
      ] : []
    return numbers.entities.enumerated().map { index, entity in
      (index + 1, entity.name, entity.superentity.flatMap { numbers[$0] } ?? 0)
    } + history
  }
}

/// The model in Z_MODELCACHE: a keyed archive, compressed with raw deflate (coredata-format.md,
/// section 9).
package enum ModelCache {
  /// The maximum size of an unpacked model in bytes; the largest known one is smaller than 1 MB.
  private static let limit = 16 << 20

  /// Returns the content of Z_MODELCACHE's only row.
  ///
  /// The content uses stored (uncompressed) blocks, so that its bytes do not depend on the version
  /// of a compression library.
  package static func content(of model: Model) -> [UInt8] {
    Deflate.store(ModelArchive.write(model))
  }

  /// Reads the model that a store contains.
  ///
  /// - Throws: ``PersistentStoreError/noModel(path:)`` if it contains no model,
  ///   ``PersistentStoreError/incomplete(path:reason:)`` if the model cannot be read.
  package static func read(from connection: Connection, path: String) throws -> Model {
    try readReporting(from: connection, path: path).model
  }

  /// Reads the model that a store contains, and the names of the model's unknown parts.
  package static func readReporting(
    from connection: Connection,
    path: String
  ) throws -> (model: Model, unknown: [String]) {
    guard try StoreOpening.hasTable("Z_MODELCACHE", connection) else {
      throw PersistentStoreError.noModel(path: path)
    }
    let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE")
    guard try statement.step(), !statement.isNull(at: 0) else {
      throw PersistentStoreError.noModel(path: path)
    }
    do {
      let archive = try Deflate.decompress(statement.blob(at: 0), limit: limit)
      let content = try ModelArchive.read(archive)
      return (content.model, content.unknown)
    } catch {
      // Report the store as incomplete, not as damaged: its tables may be intact.
      throw PersistentStoreError.incomplete(
        path: path,
        reason:
          "its model in Z_MODELCACHE cannot be read: \(error); pass the app's model with --model"
      )
    }
  }
}
