import DataModel
import SQLite

/// The rows of the system tables of a new store.
package struct SystemRows {
  /// The rows of one table, a value for every column.
  package struct Table: Hashable, Sendable {
    package let name: String
    package let rows: [[Value]]
  }

  private let layout: StoreLayout
  private let metadata: StoreMetadata
  private let highestKeys: [Int: Int]

  /// Says of each entity number which keys are used; of those that are not named, none.
  package init(layout: StoreLayout, metadata: StoreMetadata, highestKeys: [Int: Int] = [:]) {
    self.layout = layout
    self.metadata = metadata
    self.highestKeys = highestKeys
  }

  /// The tables in the order of the schema.
  package var tables: [Table] {
    [
      Table(
        name: "Z_PRIMARYKEY",
        rows: primaryKeys.map { number, name, above in
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
    for table in tables {
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
