import DataModel
import SQLite

/// The rows of the system tables of an empty store.
package struct SystemRows {
  private let layout: StoreLayout
  private let metadata: StoreMetadata

  package init(layout: StoreLayout, metadata: StoreMetadata) {
    self.layout = layout
    self.metadata = metadata
  }

  /// Writes the rows; no key of any entity is used yet.
  package func write(to connection: Connection) throws {
    let insert = try connection.prepare(
      "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)"
    )
    for (number, name, above) in primaryKeys {
      insert.bind(Int64(number), at: 1)
      insert.bind(name, at: 2)
      insert.bind(Int64(above), at: 3)
      insert.bind(0 as Int64, at: 4)
      try insert.run()
    }
    let row = try connection.prepare(
      "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)"
    )
    row.bind(metadata.uuid, at: 1)
    row.bind(metadata.propertyList.binary(), at: 2)
    try row.run()
    let cache = try connection.prepare("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
    cache.bind(ModelCache.content(of: layout.model), at: 1)
    try cache.run()
  }

  private var primaryKeys: [(number: Int, name: String, above: Int)] {
    var rows = layout.numbers.entities.enumerated().map { index, entity in
      (index + 1, entity.name, entity.superentity.flatMap { layout.numbers[$0] } ?? 0)
    }
    if layout.keepsHistory {
      rows.append((EntityNumbers.change, "CHANGE", 0))
      rows.append((EntityNumbers.transaction, "TRANSACTION", 0))
      rows.append((EntityNumbers.transactionString, "TRANSACTIONSTRING", 0))
    }
    return rows
  }
}
