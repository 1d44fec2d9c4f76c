import DataModel
import SQLite

/// A to-one whose inverse is an ordered to-many.
struct OrderedToOne {
  let table: String
  /// `ENTITY.TO-ONE.order`.
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

  /// Hands out each object's key and its position, from 1, under its parent.
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

/// The rows of a join table: two keys, then the position on each side, NULL where it has no order.
struct PositionedPairs {
  let table: JoinTable
  let first: JoinTable.Side
  let order: DigestOptions.Order

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
    guard order == .positions else { return column }
    return "row_number() OVER (PARTITION BY \(side.ownColumn.quotedColumn) "
      + "ORDER BY \(column), \(side.otherColumn.quotedColumn))"
  }
}
