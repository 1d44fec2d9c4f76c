import DataModel
import SQLite

/// Checks Z_PRIMARYKEY and what every object has: a key, an entity, a version.
struct EntityAudit {
  let run: AuditRun

  func check(objects checksObjects: Bool) throws {
    for table in run.layout.tables where checksObjects && run.has(table.name) {
      try checkObjects(of: table)
    }
    guard run.has("Z_PRIMARYKEY") else { return }
    try checkRows()
    for table in run.layout.tables where run.has(table.name) {
      guard let number = run.layout.numbers[table.root] else { continue }
      try checkMaximum(table.name, number)
    }
  }

  private func checkObjects(of table: EntityTable) throws {
    let concrete = table.entities.filter { run.layout.model.entity(named: $0)?.isAbstract == false }
    let numbers = concrete.compactMap { run.layout.numbers[$0] }.map(String.init)
    let list = numbers.joined(separator: ", ")
    try run.check(
      [
        AuditRun.Condition(
          rule: .wrongEntityNumber,
          place: "\(table.name).Z_ENT",
          sql: "t.Z_ENT IS NULL OR t.Z_ENT NOT IN (\(list))"
        ),
        AuditRun.Condition(
          rule: .wrongVersion,
          place: "\(table.name).Z_OPT",
          sql: "typeof(t.Z_OPT) <> 'integer' OR t.Z_OPT < 1"
        ),
      ],
      table: table.name
    )
  }

  private func checkRows() throws {
    let row = try run.connection.prepare(
      // The whole family draws its keys from the row of the root.
      "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX IS NULL OR Z_MAX < 0 OR (Z_SUPER <> 0 AND Z_MAX <> 0) "
        + "FROM Z_PRIMARYKEY"
    )
    var found: [Int64: String] = [:]
    var wrong: [String] = []
    while try row.step() {
      let name = row.text(at: 1)
      found[row.integer(at: 0)] = "\(name) \(row.integer(at: 2))"
      if row.integer(at: 3) != 0 { wrong.append("the maximum of \(name)") }
    }
    var expected: [Int64: String] = [:]
    for entity in run.layout.numbers.entities {
      let above = entity.superentity.flatMap { run.layout.numbers[$0] } ?? 0
      expected[Int64(run.layout.numbers[entity.name] ?? 0)] = "\(entity.name) \(above)"
    }
    if run.layout.keepsHistory {
      expected[Int64(EntityNumbers.change)] = "CHANGE 0"
      expected[Int64(EntityNumbers.transaction)] = "TRANSACTION 0"
      expected[Int64(EntityNumbers.transactionString)] = "TRANSACTIONSTRING 0"
    }
    wrong += Set(found.keys).union(expected.keys).sorted().compactMap { number in
      found[number] == expected[number] ? nil : "Z_ENT \(number)"
    }
    guard let first = wrong.first else { return }
    run.add(
      AuditFinding(
        rule: .wrongEntityRow,
        place: "Z_PRIMARYKEY",
        count: Int64(wrong.count),
        example: first
      )
    )
  }

  private func checkMaximum(_ table: String, _ number: Int) throws {
    try run.check(
      .keyAboveMaximum,
      table,
      "SELECT count(*), max(t.Z_PK) FROM (SELECT max(Z_PK) AS Z_PK FROM \(table.quotedName)) AS t "
        + "WHERE t.Z_PK > (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number))"
    )
  }
}
