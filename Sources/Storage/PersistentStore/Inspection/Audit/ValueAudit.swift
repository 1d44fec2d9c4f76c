import DataModel
import SQLite

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
