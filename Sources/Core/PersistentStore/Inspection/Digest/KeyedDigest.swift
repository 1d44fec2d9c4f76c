import DataModel
import SQLite

extension ContentDigest {
  struct Keyed {
    let content: StoreContent
    let countsVersions: Bool
    var parts: [String: ListDigest] = [:]

    consuming func digest() throws -> ContentDigest {
      for table in content.layout.tables {
        try addObjects(of: table)
        try addPositions(of: table)
      }
      for table in content.layout.joinTables { try addPairs(of: table) }
      return ContentDigest(parts: parts)
    }

    private mutating func addObjects(of table: EntityTable) throws {
      let cursor = try content.objects(in: table)
      let countsVersions = countsVersions
      let shapes = cursor.shapes.map(\.digestShape)
      var lists = [ListDigest](repeating: ListDigest(), count: shapes.count)
      while try cursor.withNext({ place, reader, row in
        var digest = ObjectDigest(shapes[place], key: row.integer(at: 0))
        reader.add(row, to: &digest) { $0.isOrderKey }
        if countsVersions { digest.add(ContentValue(row, at: 2)) }
        lists[place].add(digest.value)
      }) {}
      for (shape, list) in zip(shapes, lists) { parts[shape.entity] = list }
    }

    private mutating func addPositions(of table: EntityTable) throws {
      for order in OrderedToOne.all(in: table) {
        let shape = ObjectDigest.Shape(entity: order.name, properties: [])
        var list = ListDigest()
        try order.forEachPosition(content.connection) { row in
          var digest = ObjectDigest(shape, key: row.integer(at: 0))
          digest.add(row.integer(at: 1))
          list.add(digest.value)
        }
        parts[order.name] = list
      }
    }

    private mutating func addPairs(of table: JoinTable) throws {
      let side = table.firstSide
      let shape = ObjectDigest.Shape(entity: side.name, properties: [])
      var list = ListDigest()
      try PositionedPairs(table: table, first: side)
        .forEach(content.connection) { row in
          var digest = ObjectDigest(shape, key: row.integer(at: 0))
          digest.add(row.integer(at: 1))
          for column in 2...3 where !row.isNull(at: column) {
            digest.add(row.integer(at: column))
          }
          list.add(digest.value)
        }
      parts[side.name] = list
    }
  }

  struct OrderedToOne {
    let table: String
    let name: String
    let keyColumn: String
    let orderColumn: String

    static func all(in table: EntityTable) -> [OrderedToOne] {
      table.columns.compactMap { column in
        guard case .orderKey(let relationship) = column.content,
          let key = table.column(of: column.entity, where: { $0 == .foreignKey(relationship) })
        else { return nil }
        return OrderedToOne(
          table: table.name,
          name: "\(column.entity).\(relationship.name).order",
          keyColumn: key.name,
          orderColumn: column.name
        )
      }
    }

    /// Calls a closure with the key of each object and its position under its parent; the first
    /// position is 1.
    func forEachPosition(_ connection: Connection, _ body: (Statement) -> Void) throws {
      let parent = keyColumn.quotedColumn
      let row = try connection.prepare(
        "SELECT t.Z_PK, row_number() OVER "
          + "(PARTITION BY \(parent) ORDER BY \(orderColumn.quotedColumn), t.Z_PK) "
          + "FROM \(table.quotedName) AS t NOT INDEXED WHERE \(parent) IS NOT NULL"
      )
      while try row.step() { body(row) }
    }
  }

  /// The rows of a join table: two keys, then the position on each side; NULL if the side is not
  /// ordered.
  struct PositionedPairs {
    let table: JoinTable
    let first: JoinTable.Side

    func forEach(_ connection: Connection, _ body: (Statement) -> Void) throws {
      let row = try connection.prepare(sql)
      while try row.step() { body(row) }
    }

    var sql: String {
      let second = first == table.master ? table.slave : table.master
      let isReflexive = table.master == table.slave
      let columns = [
        first.ownColumn.quotedColumn, first.otherColumn.quotedColumn,
        position(of: first, isReflexive: false), position(of: second, isReflexive: isReflexive),
      ]
      return
        "SELECT \(columns.joined(separator: ", ")) FROM \(table.name.quotedName) AS t NOT INDEXED"
    }

    private func position(of side: JoinTable.Side, isReflexive: Bool) -> String {
      guard let column = side.orderColumn?.quotedColumn, !isReflexive else { return "NULL" }
      return "row_number() OVER (PARTITION BY \(side.ownColumn.quotedColumn) "
        + "ORDER BY \(column), \(side.otherColumn.quotedColumn))"
    }
  }
}

extension ContentShape {
  var digestShape: ObjectDigest.Shape {
    ObjectDigest.Shape(entity: entity, properties: properties.filter { !$0.isOrderKey }.map(\.name))
  }
}
