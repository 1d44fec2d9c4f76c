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

/// Checks the values of a table's attributes against their types.
struct ValueAudit {
  let run: AuditRun
  let table: EntityTable

  func check() throws {
    let conditions = table.columns.filter { run.has($0.name, in: table.name) }
      .flatMap { column in
        switch column.content {
        case .attribute(let attribute): self.conditions(on: attribute, column)
        default: integerConditions(on: column)
        }
      }
    try run.check(conditions, table: table.name)
  }

  private func condition(_ rule: AuditRule, _ column: Column, _ sql: String) -> AuditRun.Condition {
    AuditRun.Condition(rule: rule, place: "\(table.name).\(column.name)", sql: sql)
  }

  private func integerConditions(on column: Column) -> [AuditRun.Condition] {
    let value = column.name.quotedColumn
    var conditions = [
      condition(.wrongStorageClass, column, "typeof(\(value)) NOT IN ('integer', 'null')")
    ]
    // The key of a to-many without inverse is declared nowhere in the table's own family.
    if case .inverselessKey = column.content { return conditions }
    conditions += foreignness(of: column)
    return conditions
  }

  /// A value in the row of an entity that has no such property.
  private func foreignness(of column: Column) -> [AuditRun.Condition] {
    guard column.entity != table.root else { return [] }
    return [
      condition(
        .valueOfOtherEntity,
        column,
        "\(column.name.quotedColumn) IS NOT NULL AND t.Z_ENT NOT IN "
          + run.family(of: column.entity)
      )
    ]
  }

  private func conditions(on attribute: Attribute, _ column: Column) -> [AuditRun.Condition] {
    let value = column.name.quotedColumn
    var conditions = foreignness(of: column)
    if let classes = attribute.type.storageClasses {
      // A list of more than two would be looked up in a table of its own, row by row.
      let others = classes.map { "typeof(\(value)) <> '\($0)'" }.joined(separator: " AND ")
      conditions.append(
        condition(.wrongStorageClass, column, "\(value) IS NOT NULL AND \(others)")
      )
    }
    if let range = Self.outOfRange(attribute.type, value) {
      conditions.append(condition(.valueOutOfRange, column, range))
    }
    // A derived attribute has no value before its first save.
    if !attribute.isOptional, attribute.derivation == nil {
      conditions.append(
        condition(
          .missingValue,
          column,
          "\(value) IS NULL AND t.Z_ENT IN " + run.family(of: column.entity)
        )
      )
    }
    return conditions
  }

  private static func outOfRange(_ type: AttributeType, _ value: String) -> String? {
    let isInteger = "typeof(\(value)) = 'integer'"
    return switch type {
    case .boolean: "\(isInteger) AND \(value) NOT IN (0, 1)"
    case .integer16: "\(isInteger) AND \(value) NOT BETWEEN -32768 AND 32767"
    case .integer32: "\(isInteger) AND \(value) NOT BETWEEN -2147483648 AND 2147483647"
    case .uuid: "typeof(\(value)) = 'blob' AND length(\(value)) <> 16"
    default: nil
    }
  }
}

extension AttributeType {
  /// The storage classes that the type's values may have (coredata-format.md, section 8); `nil` for
  /// types not seen in a file.
  package var storageClasses: [Statement.StorageClass]? {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: [.integer]
    case .double, .float: [.real]
    // A column of NUMERIC affinity keeps whole numbers as integers.
    case .date: [.integer, .real]
    case .decimal: [.integer, .real, .text]
    case .string, .uri: [.text]
    case .uuid, .transformable, .binary: [.blob]
    case .objectID, .composite: nil
    }
  }
}

/// Checks the unique constraints of a table's entities, without their indexes.
struct UniquenessAudit {
  let run: AuditRun
  let table: EntityTable

  func check() throws {
    for index in run.layout.indexes(of: table) where index.isUnique {
      let columns = index.columns.map(\.name)
      guard !columns.isEmpty, columns.allSatisfy({ run.has($0, in: table.name) }) else { continue }
      let list = columns.map(\.quotedColumn)
      // NULLs are no duplicates of each other, here as in SQLite's unique indexes.
      let condition = list.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
      try run.check(
        .duplicate,
        "\(table.name).\(columns.joined(separator: "+"))",
        "SELECT coalesce(sum(number), 0), min(second) FROM (SELECT count(*) - 1 AS number, "
          + "max(t.Z_PK) AS second FROM \(table.name.quotedName) AS t\(run.access) "
          + "WHERE \(condition) GROUP BY \(list.joined(separator: ", ")) HAVING count(*) > 1)"
      )
    }
  }
}
