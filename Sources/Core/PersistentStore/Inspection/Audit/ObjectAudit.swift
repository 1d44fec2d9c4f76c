import Basics
import DataModel
import SQLite

extension AuditRun {
  func checkObjects() throws {
    for table in layout.tables where has(table.name) {
      let concrete = table.entities.filter { layout.model.entity(named: $0)?.isAbstract == false }
      let conditions = [
        Condition(
          rule: .wrongEntityNumber,
          place: "\(table.name).Z_ENT",
          sql: "t.Z_ENT IS NULL OR t.Z_ENT NOT IN (\(layout.numbers.list(of: concrete)))"
        ),
        Condition(
          rule: .wrongVersion,
          place: "\(table.name).Z_OPT",
          sql: "typeof(t.Z_OPT) <> 'integer' OR t.Z_OPT < 1"
        ),
      ]
      try check(conditions, table: table.name)
    }
  }

  func checkPrimaryKeys() throws {
    guard has("Z_PRIMARYKEY") else { return }
    try checkEntityRows()
    for table in layout.tables where has(table.name) {
      guard let number = layout.numbers[table.root] else { continue }
      try check(
        .keyAboveMaximum,
        table.name,
        "SELECT count(*), max(t.Z_PK) FROM (SELECT max(Z_PK) AS Z_PK "
          + "FROM \(table.name.quotedName)) AS t "
          + "WHERE t.Z_PK > (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number))"
      )
    }
  }

  private func checkEntityRows() throws {
    let row = try connection.prepare(
      // A root entity and its sub-entities take their keys from the root's row. Framework version
      // 419 leaves Z_MAX at -1 if no key has been assigned.
      "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX IS NULL OR Z_MAX < -1 OR (Z_SUPER <> 0 AND Z_MAX > 0) "
        + "FROM Z_PRIMARYKEY"
    )
    var found: [Int64: String] = [:]
    var wrong: [String] = []
    while try row.step() {
      let name = row.text(at: 1)
      found[row.integer(at: 0)] = "\(name) \(row.integer(at: 2))"
      if row.integer(at: 3) != 0 { wrong.append("the maximum of \(name)") }
    }
    var expected = Dictionary(
      keepingFirst: layout.primaryKeyRows.map { (Int64($0.number), "\($0.name) \($0.above)") }
    )
    // Before framework version 973, transactions contain author and process names instead of
    // references to a table of names (coredata-format.md, section 2).
    let strings = Int64(EntityNumbers.transactionString)
    if !has("ATRANSACTIONSTRING"), found[strings] == nil { expected[strings] = nil }
    // An in-place migration does not update the name of a renamed entity in Z_PRIMARYKEY.
    let former = Dictionary(
      keepingFirst: layout.primaryKeyRows.compactMap { number, name, above in
        layout.model.entity(named: name)?.renamingIdentifier.map {
          (Int64(number), "\($0) \(above)")
        }
      }
    )
    wrong += Set(found.keys).union(expected.keys).sorted().compactMap { number in
      let row = found[number]
      if expected[number] == nil, EntityNumbers.isHidden(number) { return nil }
      return row == expected[number] || row != nil && row == former[number]
        ? nil : "Z_ENT \(number)"
    }
    add(.wrongEntityRow, "Z_PRIMARYKEY", cases: wrong)
  }
}

extension AuditRun {
  func checkValues(of table: EntityTable) throws {
    let conditions = table.columns.filter { has($0.name, in: table.name) }
      .flatMap { column in
        let faults =
          if case .attribute(let attribute) = column.content {
            valueFaults(of: attribute, column, in: table)
          } else {
            integerFaults(of: column, in: table)
          }
        return faults.map { rule, sql in
          Condition(rule: rule, place: "\(table.name).\(column.name)", sql: sql)
        }
      }
    try check(conditions, table: table.name)
  }

  private typealias Fault = (rule: AuditRule, sql: String)

  private func integerFaults(of column: Column, in table: EntityTable) -> [Fault] {
    let value = column.name.quotedColumn
    let fault: Fault = (.wrongStorageClass, "typeof(\(value)) NOT IN ('integer', 'null')")
    // Check only the storage class: for a to-many relationship without an inverse, a row of any
    // entity in the destination's table may have a value.
    if case .inverselessKey = column.content { return [fault] }
    return [fault] + foreignness(of: column, in: table)
  }

  private func foreignness(of column: Column, in table: EntityTable) -> [Fault] {
    guard column.entity != table.root else { return [] }
    let value = column.name.quotedColumn
    let family = family(of: column.entity)
    return [(.valueOfOtherEntity, "\(value) IS NOT NULL AND t.Z_ENT NOT IN " + family)]
  }

  private func valueFaults(
    of attribute: Attribute,
    _ column: Column,
    in table: EntityTable
  ) -> [Fault] {
    let value = column.name.quotedColumn
    var faults = foreignness(of: column, in: table)
    if let classes = attribute.type.storageClasses {
      // An IN list of more than two values would be searched in a temporary table for every row.
      let others = classes.map { "typeof(\(value)) <> '\($0)'" }.joined(separator: " AND ")
      faults.append((.wrongStorageClass, "\(value) IS NOT NULL AND \(others)"))
    }
    if let range = attribute.type.outOfRange(value) { faults.append((.valueOutOfRange, range)) }
    // A derived attribute has no value before its first save, even if it is required.
    if !attribute.isOptional, attribute.derivation == nil {
      let family = family(of: column.entity)
      faults.append((.missingValue, "\(value) IS NULL AND t.Z_ENT IN " + family))
    }
    return faults
  }

  func checkUniqueness(of table: EntityTable) throws {
    for index in layout.indexes(of: table) where index.isUnique {
      let columns = index.columns.map(\.name)
      guard !columns.isEmpty, columns.allSatisfy({ has($0, in: table.name) }) else { continue }
      let list = columns.map(\.quotedColumn)
      // NULL values are not duplicates of each other, as in SQLite's unique indexes.
      let condition = list.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
      try check(
        .duplicate,
        "\(table.name).\(columns.joined(separator: "+"))",
        "SELECT coalesce(sum(number), 0), min(second) FROM (SELECT count(*) - 1 AS number, "
          + "max(t.Z_PK) AS second FROM \(table.name.quotedName) AS t\(access) "
          + "WHERE \(condition) GROUP BY \(list.joined(separator: ", ")) HAVING count(*) > 1)"
      )
    }
  }
}

extension AttributeType {
  /// The storage classes that values of the type may have (coredata-format.md, section 8); `nil`
  /// for types in no known file.
  package var storageClasses: [Statement.StorageClass]? {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: [.integer]
    case .double, .float: [.real]
    // A column with NUMERIC affinity stores whole numbers as integers, so dates and decimals may be
    // integers.
    case .date: [.integer, .real]
    case .decimal: [.integer, .real, .text]
    case .string, .uri: [.text]
    case .uuid, .transformable, .binary: [.blob]
    case .undefined, .objectID, .composite: nil
    }
  }

  fileprivate func outOfRange(_ value: String) -> String? {
    let isInteger = "typeof(\(value)) = 'integer'"
    return switch self {
    case .boolean: "\(isInteger) AND \(value) NOT IN (0, 1)"
    case .integer16: "\(isInteger) AND \(value) NOT BETWEEN -32768 AND 32767"
    case .integer32: "\(isInteger) AND \(value) NOT BETWEEN -2147483648 AND 2147483647"
    case .uuid: "typeof(\(value)) = 'blob' AND length(\(value)) <> 16"
    default: nil
    }
  }
}
