import DataModel
import SQLite

/// Checks the to-ones of a table, and the places beside them.
struct ReferenceAudit {
  let run: AuditRun
  let table: EntityTable

  func check() throws {
    for column in table.columns where run.has(column.name, in: table.name) {
      switch column.content {
      case .foreignKey(let relationship): try check(relationship, column)
      case .inverselessKey(_, let source): try checkExistence(of: source, column)
      case .orderKey(let relationship): try checkOrder(of: relationship, column)
      default: continue
      }
    }
  }

  private func place(_ column: Column) -> String { "\(table.name).\(column.name)" }

  private func check(_ relationship: Relationship, _ column: Column) throws {
    try checkExistence(of: relationship.destination, column)
    let entity = table.column(of: column.entity) { $0 == .foreignEntity(relationship) }
    if let entity, run.has(entity.name, in: table.name) {
      try checkEntity(entity, beside: column, of: relationship.destination)
    }
    if !relationship.isOptional {
      let condition = AuditRun.Condition(
        rule: .missingReference,
        place: place(column),
        sql: "\(column.name.quotedColumn) IS NULL AND t.Z_ENT IN " + run.family(of: column.entity)
      )
      try run.check([condition], table: table.name)
    }
    try checkInverse(of: relationship, column)
  }

  private func checkExistence(of destination: String, _ column: Column) throws {
    guard let target = run.table(of: destination) else { return }
    try run.check(
      .danglingReference,
      place(column),
      "SELECT count(*), min(t.Z_PK) FROM \(table.name.quotedName) AS t\(run.access) "
        + "WHERE \(column.name.quotedColumn) IS NOT NULL AND NOT EXISTS "
        + "(SELECT 1 FROM \(target) AS u NOT INDEXED WHERE u.Z_PK = \(column.name.quotedColumn) "
        + "AND u.Z_ENT IN \(run.family(of: destination)))"
    )
  }

  private func checkEntity(_ entity: Column, beside key: Column, of destination: String) throws {
    guard let target = run.table(of: destination) else { return }
    try run.check(
      .wrongTargetEntity,
      place(entity),
      "SELECT count(*), min(t.Z_PK) FROM \(table.name.quotedName) AS t NOT INDEXED "
        + "LEFT JOIN \(target) AS u NOT INDEXED ON u.Z_PK = \(key.name.quotedColumn) "
        // A key that leads nowhere is reported once, by its own rule.
        + "WHERE (u.Z_PK IS NOT NULL OR \(key.name.quotedColumn) IS NULL) "
        + "AND u.Z_ENT IS NOT \(entity.name.quotedColumn)"
    )
  }

  /// Of a one-to-one each side leads to the other; real stores were seen to leave one side NULL.
  private func checkInverse(of relationship: Relationship, _ column: Column) throws {
    guard let inverse = run.layout.model.inverse(of: relationship), !inverse.isToMany,
      let target = run.layout.table(of: relationship.destination),
      case .foreignKey(let back, _, _) =
        run.layout.storage(of: inverse.name, in: relationship.destination),
      run.has(back, in: target.name)
    else { return }
    try run.check(
      .disagreeingInverse,
      place(column),
      "SELECT count(*), min(t.Z_PK) FROM \(table.name.quotedName) AS t NOT INDEXED "
        + "JOIN \(target.name.quotedName) AS u NOT INDEXED ON u.Z_PK = \(column.name.quotedColumn) "
        + "WHERE u.\(back.quotedName) IS NOT t.Z_PK"
    )
  }

  private func checkOrder(of relationship: Relationship, _ order: Column) throws {
    let key = table.column(of: order.entity) { $0 == .foreignKey(relationship) }
    guard let key, run.has(key.name, in: table.name) else { return }
    let (parent, place) = (key.name.quotedColumn, order.name.quotedColumn)
    let condition = AuditRun.Condition(
      rule: .wrongOrder,
      place: self.place(order),
      sql: "(\(parent) IS NULL) <> (\(place) IS NULL)"
    )
    try run.check([condition], table: table.name)
    try run.check(
      .equalOrder,
      self.place(order),
      example: "parent",
      "SELECT count(*), min(parent) FROM (SELECT \(parent) AS parent "
        + "FROM \(table.name.quotedName) AS t NOT INDEXED "
        + "WHERE \(parent) IS NOT NULL AND \(place) IS NOT NULL "
        + "GROUP BY \(parent), \(place) HAVING count(*) > 1)"
    )
  }
}

/// Checks the rows of a join table.
struct PairAudit {
  let run: AuditRun
  let table: JoinTable

  func check() throws {
    guard table.columnNames.allSatisfy({ run.has($0, in: table.name) }) else { return }
    let isReflexive = table.master == table.slave
    try checkExistence(of: table.master.entity, table.master.ownColumn)
    try checkExistence(of: table.slave.entity, table.master.otherColumn)
    try checkDoubles()
    for side in isReflexive ? [table.master] : [table.master, table.slave] {
      if let order = side.orderColumn { try checkOrder(order, of: side) }
    }
  }

  private func checkExistence(of entity: String, _ column: String) throws {
    guard let target = run.table(of: entity) else { return }
    try run.check(
      .danglingPair,
      "\(table.name).\(column)",
      example: "key",
      "SELECT count(*), coalesce(min(\(column.quotedColumn)), 'NULL') "
        + "FROM \(table.name.quotedName) AS t\(run.access) WHERE NOT EXISTS "
        + "(SELECT 1 FROM \(target) AS u NOT INDEXED WHERE u.Z_PK = \(column.quotedColumn) "
        + "AND u.Z_ENT IN \(run.family(of: entity)))"
    )
  }

  private func checkDoubles() throws {
    let keys = [table.master.ownColumn, table.master.otherColumn].map(\.quotedColumn)
    try run.check(
      .doubledPair,
      table.name,
      example: "key",
      "SELECT coalesce(sum(number), 0), min(key) FROM (SELECT count(*) - 1 AS number, "
        + "\(keys[0]) AS key FROM \(table.name.quotedName) AS t\(run.access) "
        + "GROUP BY \(keys[0]), \(keys[1]) HAVING count(*) > 1)"
    )
  }

  private func checkOrder(_ order: String, of side: JoinTable.Side) throws {
    let (own, place) = (side.ownColumn.quotedColumn, order.quotedColumn)
    try run.check(
      .wrongOrder,
      "\(table.name).\(order)",
      example: "key",
      "SELECT count(*), min(\(own)) FROM \(table.name.quotedName) AS t NOT INDEXED "
        + "WHERE typeof(\(place)) <> 'integer'"
    )
    try run.check(
      .equalOrder,
      "\(table.name).\(order)",
      example: "key",
      "SELECT count(*), min(key) FROM (SELECT \(own) AS key FROM \(table.name.quotedName) AS t "
        + "NOT INDEXED WHERE \(place) IS NOT NULL GROUP BY \(own), \(place) HAVING count(*) > 1)"
    )
  }
}
