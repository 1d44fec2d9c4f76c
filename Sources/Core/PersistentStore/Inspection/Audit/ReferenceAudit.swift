import DataModel
import SQLite

extension AuditRun {
  func checkReferences(of table: EntityTable) throws {
    for column in table.columns where has(column.name, in: table.name) {
      switch column.content {
      case .foreignKey(let relationship): try check(relationship, column, in: table)
      case .inverselessKey(_, let source): try checkExistence(of: source, column, in: table)
      case .orderKey(let relationship): try checkOrder(of: relationship, column, in: table)
      default: continue
      }
    }
  }

  private func check(_ relationship: Relationship, _ column: Column, in table: EntityTable) throws {
    try checkExistence(of: relationship.destination, column, in: table)
    let entity = table.column(of: column.entity) { $0 == .foreignEntity(relationship) }
    if let entity, has(entity.name, in: table.name) {
      try checkEntity(entity, beside: column, of: relationship.destination, in: table)
    }
    if !relationship.isOptional {
      let condition = Condition(
        rule: .missingReference,
        place: "\(table.name).\(column.name)",
        sql: "\(column.name.quotedColumn) IS NULL AND t.Z_ENT IN " + family(of: column.entity)
      )
      try check([condition], table: table.name)
    }
    try checkInverse(of: relationship, column, in: table)
  }

  private func checkExistence(
    of destination: String,
    _ column: Column,
    in table: EntityTable
  ) throws {
    guard let target = self.table(of: destination) else { return }
    try check(
      .danglingReference,
      "\(table.name).\(column.name)",
      other: otherEntity(of: column.name, in: table.name, target, than: destination),
      "SELECT count(*), min(t.Z_PK) FROM \(table.name.quotedName) AS t\(access) "
        + "WHERE \(column.name.quotedColumn) IS NOT NULL AND NOT EXISTS "
        + "(SELECT 1 FROM \(target) AS u NOT INDEXED WHERE u.Z_PK = \(column.name.quotedColumn) "
        + "AND u.Z_ENT IN \(family(of: destination)))"
    )
  }

  /// A query for the entity number of the object that has the key but does not belong to the
  /// destination entity.
  private func otherEntity(
    of key: String,
    in table: String,
    _ target: String,
    than destination: String
  ) -> String {
    "SELECT u.Z_ENT FROM \(table.quotedName) AS t\(access) JOIN \(target) AS u NOT INDEXED "
      + "ON u.Z_PK = \(key.quotedColumn) WHERE u.Z_ENT NOT IN \(family(of: destination)) LIMIT 1"
  }

  private func checkEntity(
    _ entity: Column,
    beside key: Column,
    of destination: String,
    in table: EntityTable
  ) throws {
    guard let target = self.table(of: destination) else { return }
    try check(
      .wrongTargetEntity,
      "\(table.name).\(entity.name)",
      "SELECT count(*), min(t.Z_PK) FROM \(table.name.quotedName) AS t NOT INDEXED "
        + "LEFT JOIN \(target) AS u NOT INDEXED ON u.Z_PK = \(key.name.quotedColumn) "
        // Exclude dangling keys, because another rule already reports them.
        + "WHERE (u.Z_PK IS NOT NULL OR \(key.name.quotedColumn) IS NULL) "
        + "AND u.Z_ENT IS NOT \(entity.name.quotedColumn)"
    )
  }

  /// Checks that both sides of a one-to-one relationship refer to each other; some real stores
  /// leave one side NULL.
  private func checkInverse(
    of relationship: Relationship,
    _ column: Column,
    in table: EntityTable
  ) throws {
    guard let inverse = layout.model.inverse(of: relationship), !inverse.isToMany,
      let target = layout.table(of: relationship.destination),
      case .foreignKey(let back, _, _) =
        layout.storage(of: inverse.name, in: relationship.destination),
      has(back, in: target.name)
    else { return }
    try check(
      .disagreeingInverse,
      "\(table.name).\(column.name)",
      "SELECT count(*), min(t.Z_PK) FROM \(table.name.quotedName) AS t NOT INDEXED "
        + "JOIN \(target.name.quotedName) AS u NOT INDEXED ON u.Z_PK = \(column.name.quotedColumn) "
        + "WHERE u.\(back.quotedName) IS NOT t.Z_PK"
    )
  }

  private func checkOrder(
    of relationship: Relationship,
    _ order: Column,
    in table: EntityTable
  ) throws {
    let key = table.column(of: order.entity) { $0 == .foreignKey(relationship) }
    guard let key, has(key.name, in: table.name) else { return }
    let (parent, value) = (key.name.quotedColumn, order.name.quotedColumn)
    let place = "\(table.name).\(order.name)"
    let sql = "(\(parent) IS NULL) <> (\(value) IS NULL)"
    try check([Condition(rule: .wrongOrder, place: place, sql: sql)], table: table.name)
    try check(
      .equalOrder,
      place,
      example: "parent",
      "SELECT count(*), min(parent) FROM (SELECT \(parent) AS parent "
        + "FROM \(table.name.quotedName) AS t NOT INDEXED "
        + "WHERE \(parent) IS NOT NULL AND \(value) IS NOT NULL "
        + "GROUP BY \(parent), \(value) HAVING count(*) > 1)"
    )
  }
}

extension AuditRun {
  func checkPairs(of table: JoinTable) throws {
    guard table.columnNames.allSatisfy({ has($0, in: table.name) }) else { return }
    try checkExistence(of: table.master.entity, table.master.ownColumn, in: table)
    try checkExistence(of: table.slave.entity, table.master.otherColumn, in: table)
    try checkDoubles(in: table)
    for side in table.master == table.slave ? [table.master] : [table.master, table.slave] {
      if let order = side.orderColumn { try checkOrder(order, of: side, in: table) }
    }
  }

  private func checkExistence(of entity: String, _ column: String, in table: JoinTable) throws {
    guard let target = self.table(of: entity) else { return }
    try check(
      .danglingPair,
      "\(table.name).\(column)",
      example: "key",
      other: otherEntity(of: column, in: table.name, target, than: entity),
      "SELECT count(*), coalesce(min(\(column.quotedColumn)), 'NULL') "
        + "FROM \(table.name.quotedName) AS t\(access) WHERE NOT EXISTS "
        + "(SELECT 1 FROM \(target) AS u NOT INDEXED WHERE u.Z_PK = \(column.quotedColumn) "
        + "AND u.Z_ENT IN \(family(of: entity)))"
    )
  }

  private func checkDoubles(in table: JoinTable) throws {
    let keys = [table.master.ownColumn, table.master.otherColumn].map(\.quotedColumn)
    try check(
      .doubledPair,
      table.name,
      example: "key",
      "SELECT coalesce(sum(number), 0), min(key) FROM (SELECT count(*) - 1 AS number, "
        + "\(keys[0]) AS key FROM \(table.name.quotedName) AS t\(access) "
        + "GROUP BY \(keys[0]), \(keys[1]) HAVING count(*) > 1)"
    )
  }

  private func checkOrder(_ order: String, of side: JoinTable.Side, in table: JoinTable) throws {
    let (own, value) = (side.ownColumn.quotedColumn, order.quotedColumn)
    try check(
      .wrongOrder,
      "\(table.name).\(order)",
      example: "key",
      "SELECT count(*), min(\(own)) FROM \(table.name.quotedName) AS t NOT INDEXED "
        + "WHERE typeof(\(value)) <> 'integer'"
    )
    try check(
      .equalOrder,
      "\(table.name).\(order)",
      example: "key",
      "SELECT count(*), min(key) FROM (SELECT \(own) AS key FROM \(table.name.quotedName) AS t "
        + "NOT INDEXED WHERE \(value) IS NOT NULL GROUP BY \(own), \(value) HAVING count(*) > 1)"
    )
  }
}
