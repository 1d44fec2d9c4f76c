import SQLite

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
