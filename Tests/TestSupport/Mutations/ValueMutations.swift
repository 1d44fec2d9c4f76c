import DataModel
import PersistentStore
import SQLite

extension StoreMutation {
  static let moreValues = [
    untyped("an integer stored as text", becomes: "CAST(~ AS TEXT)"),
    untyped("a real stored where an integer was", becomes: "CAST(~ AS REAL)"),
    StoreMutation("a UUID with one bit flipped") { site in
      try site.first(of: site.attributes { $0.type == .uuid && !$0.isTransient }) { place in
        try flipBit(in: place.column, of: place.table, atLeast: 0, site)
      }
    },
    StoreMutation("an attribute's column swapped with its neighbour") { site in
      let places = site.attributes { $0.type != .transformable }
      let pairs = zip(places, places.dropFirst()).filter { left, right in
        left.table == right.table && left.attribute.type == right.attribute.type
          && left.column.entity == right.column.entity
          && !left.attribute.allowsExternalStorage && !right.attribute.allowsExternalStorage
      }
      return try site.first(of: Array(pairs)) { left, right in
        let (first, second) = (left.column.name, right.column.name)
        do {
          return try site.change(
            "UPDATE \(left.table.name) SET \(first) = \(second), \(second) = \(first) "
              + "WHERE \(first) IS NOT \(second)"
          )
        } catch let error as SQLiteError where error.isConstraint {
          return false
        }
      }
    },
    StoreMutation("two values of one attribute swapped") { site in
      try site.first(of: site.attributes { [.string, .integer32, .date].contains($0.type) }) {
        let column = $0.column.name
        guard
          let first = try site.key(in: $0.table.name, where: "\(column) IS NOT NULL"),
          let second = try site.key(
            in: $0.table.name,
            where: "\(column) <> (SELECT \(column) FROM \($0.table.name) WHERE Z_PK = \(first))"
          )
        else { return false }
        return try exchange(column, of: $0.table.name, first, second, site)
      }
    },
  ]

  /// Exchanges the values of a column between two rows; returns `false` if a constraint forbids it.
  static func exchange(
    _ column: String,
    of table: String,
    _ first: Int64,
    _ second: Int64,
    _ site: MutationSite
  ) throws -> Bool {
    try exchange(column, of: table, by: "Z_PK", first, second, site)
  }

  /// Exchanges the values of a column between two rows that a key column identifies.
  static func exchange(
    _ column: String,
    of table: String,
    by key: String,
    _ first: Int64,
    _ second: Int64,
    _ site: MutationSite
  ) throws -> Bool {
    // Save the values first: an update that reads its own table sees rows that it has changed.
    try site.connection.execute("DROP TABLE IF EXISTS temp.exchanged")
    try site.connection.execute(
      "CREATE TEMP TABLE exchanged AS SELECT \(key) AS key, \(column) AS value FROM \(table) "
        + "WHERE \(key) IN (\(first), \(second))"
    )
    do {
      return try site.change(
        "UPDATE \(table) SET \(column) = (SELECT value FROM exchanged WHERE exchanged.key = "
          + "\(first) + \(second) - \(table).\(key)) WHERE \(key) IN (\(first), \(second))"
      )
    } catch let error as SQLiteError where error.isConstraint {
      return false
    }
  }

  /// A mutation that stores an integer in another storage class, despite the column's type.
  private static func untyped(_ name: String, becomes value: String) -> StoreMutation {
    StoreMutation(name) { site in
      let types: Set<AttributeType> = [.integer16, .integer32, .integer64, .boolean]
      return try site.first(of: site.attributes { types.contains($0.type) }) { place in
        let (table, column) = (place.table.name, place.column.name)
        guard let key = try site.key(in: table, where: "\(column) IS NOT NULL") else {
          return false
        }
        return try site.withSchema(
          of: table,
          replacing: " \(column) INTEGER",
          by: " \(column) BLOB"
        ) {
          try site.change(
            "UPDATE \(table) SET \(column) = \(value.replacing("~", with: column)) "
              + "WHERE Z_PK = \(key)"
          )
        }
      }
    }
  }

  /// Flips one bit of a blob, at or after the byte offset `first`.
  static func flipBit(
    in column: Column,
    of table: EntityTable,
    atLeast first: Int,
    where condition: String = "true",
    _ site: MutationSite
  ) throws -> Bool {
    let filter = "length(\(column.name)) > \(first) AND (\(condition))"
    guard let key = try site.key(in: table.name, where: filter) else { return false }
    let row = try site.connection.prepare(
      "SELECT \(column.name) FROM \(table.name) WHERE Z_PK = \(key)"
    )
    guard try row.step() else { return false }
    var bytes = row.blob(at: 0)
    row.reset()
    bytes[first + site.random(below: bytes.count - first)] ^= 1 << UInt8(site.random(below: 8))
    let update = try site.connection.prepare(
      "UPDATE \(table.name) SET \(column.name) = ?1 WHERE Z_PK = \(key)"
    )
    update.bind(bytes, at: 1)
    try update.run()
    return true
  }
}
