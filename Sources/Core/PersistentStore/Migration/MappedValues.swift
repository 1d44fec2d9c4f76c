import DataModel
import Foundation
import SQLite

/// The SQL expressions for the values that a migration map derives from an object.
///
/// Conversions are functions registered on the connection, as an app could register them;
/// everything else is plain SQL.
struct MappedValues {
  let source: StoreLayout
  let schema: String
  /// The value of `now` in the map's expressions, in seconds since 2001.
  let now: Double

  /// An expression for a destination column, given a row `t` of the source's table; `nil` if the
  /// mapping has no such attribute.
  func sql(of column: Column, in mapping: EntityMapping) -> String? {
    guard case .attribute(let attribute) = column.content else { return nil }
    return mapping.attributes.first { $0.destination.name == attribute.name }
      .map { sql(of: $0, in: mapping) }
  }

  /// An expression for a destination attribute, given a row `t` of the source's table.
  ///
  /// If `fillsMissing` is true, the default replaces a missing required value.
  func sql(
    of carried: AttributeMapping,
    in mapping: EntityMapping,
    fillsMissing: Bool = true
  ) -> String {
    let attribute = carried.destination
    let former = carried.source.flatMap { $0.isTransient ? nil : $0 }
    let value: String
    if let entity = mapping.source, let expression = carried.value {
      let made = sql(expression, in: entity)
      value = attribute.allowsExternalStorage ? "(X'01' || \(made))" : made
    } else if let entity = mapping.source, let former {
      value = column(former.name, of: entity, row: "t", for: attribute)
    } else {
      return stored(attribute.defaultValue, attribute)
    }
    guard fillsMissing, !attribute.isOptional, attribute.defaultValue != .null else { return value }
    return "coalesce(\(value), \(stored(attribute.defaultValue, attribute)))"
  }

  private func stored(_ value: Value, _ attribute: Attribute) -> String {
    guard attribute.allowsExternalStorage, case .blob(let bytes) = value else {
      return value.literal
    }
    return Value.blob(ExternalStorage.inlinePrefix + bytes).literal
  }

  func condition(of mapping: EntityMapping) -> String {
    guard let entity = mapping.source, let number = source.numbers[entity] else { return "0" }
    let conditions = mapping.conditions.map { condition -> String in
      let column = self.column(condition.attribute, of: entity, row: "t")
      let tests = condition.values.map { "\(column) IS \($0.literal)" }
      let any = tests.isEmpty ? "0" : tests.joined(separator: " OR ")
      return condition.isNegated ? "NOT (\(any))" : "(\(any))"
    }
    return (["t.Z_ENT = \(number)"] + conditions).joined(separator: " AND ")
  }

  func sql(_ expression: ValueExpression, in entity: String) -> String {
    switch expression {
    case .source(let path): return self.path(path[...], of: entity, row: "t")
    case .constant(let value): return value.literal
    case .now: return Value.real(now).literal
    case .identifier: return "storebench_uuid('\(entity)/p' || t.Z_PK)"
    case .converted(let inner, let conversion):
      return "storebench_convert('\(conversion.rawValue)', \(sql(inner, in: entity)))"
    case .joined(let parts, let separator):
      let values = [Value.text(separator).literal] + parts.map { sql($0, in: entity) }
      return "storebench_join(\(values.joined(separator: ", ")))"
    case .replaced(let inner, let replacements, let otherwise):
      let value = sql(inner, in: entity)
      guard !replacements.isEmpty else { return otherwise.map { sql($0, in: entity) } ?? value }
      let cases = replacements.map { "WHEN \(value) IS \($0.value.literal) THEN \($0.by.literal)" }
      let rest = otherwise.map { sql($0, in: entity) } ?? value
      return "CASE \(cases.joined(separator: " ")) ELSE \(rest) END"
    case .firstOf(let parts):
      let values = parts.map { sql($0, in: entity) }
      return "coalesce(\((values + ["NULL", "NULL"]).joined(separator: ", ")))"
    case .function: return "NULL"
    }
  }

  private func path(_ path: ArraySlice<String>, of entity: String, row: String) -> String {
    guard let name = path.first else { return "NULL" }
    guard path.count > 1 else { return column(name, of: entity, row: row) }
    guard case .foreignKey(let key, _, _)? = source.storage(of: name, in: entity),
      let target = source.destination(of: name, in: entity)
    else { return "NULL" }
    let next = row + "t"
    return "(SELECT \(self.path(path.dropFirst(), of: target.entity, row: next)) FROM "
      + "\(schema).\(target.table.quotedName) AS \(next) "
      + "WHERE \(next).Z_PK = \(row).\(key.quotedName))"
  }

  private func column(
    _ attribute: String,
    of entity: String,
    row: String,
    for destination: Attribute? = nil
  ) -> String {
    guard let column = source.column(of: attribute, in: entity),
      case .attribute(let former) = column.content
    else { return "NULL" }
    let value = "\(row).\(column.name.quotedName)"
    let isExternal = destination?.allowsExternalStorage ?? false
    return switch (former.allowsExternalStorage, isExternal) {
    case (true, false): "storebench_data(\(value))"
    case (false, true): "CAST(X'01' || \(value) AS BLOB)"
    default: value
    }
  }

  static func register(on connection: Connection, externalFiles folder: String) throws {
    for (name, body) in functions(externalFiles: folder) {
      try connection.registerFunction(name, body)
    }
  }

  static func functions(externalFiles folder: String) -> [MappedCopy.Function] {
    [
      (
        "storebench_convert",
        { arguments in
          guard arguments.count == 2, case .text(let name) = arguments[0],
            let conversion = ValueConversion(rawValue: name)
          else { return .null }
          return Connection.FunctionValue(conversion(Value(arguments[1])))
        }
      ),
      (
        "storebench_join",
        { arguments in
          guard case .text(let separator)? = arguments.first else { return .null }
          let parts = arguments.dropFirst().map { ValueExpression.constant(Value($0)) }
          let joined = ValueExpression.joined(parts, separator: separator)
          return Connection.FunctionValue(joined.value(now: 0) { _ in .null })
        }
      ),
      (
        "storebench_uuid",
        { arguments in
          guard case .text(let name)? = arguments.first else { return .null }
          return .blob(ValueExpression.identifier(of: name))
        }
      ),
      (
        "storebench_data",
        { arguments in
          guard case .blob(let bytes)? = arguments.first else { return .null }
          guard let name = ExternalStorage.fileName(in: bytes) else {
            return .blob(Array(bytes.dropFirst()))
          }
          let data = FileManager.default.contents(atPath: folder + "/" + name)
          return data.map { .blob([UInt8]($0)) } ?? .null
        }
      ),
    ]
  }
}

extension Value {
  fileprivate init(_ value: Connection.FunctionValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let value): .integer(value)
      case .real(let value): .real(value)
      case .text(let value): .text(value)
      case .blob(let value): .blob(value)
      }
  }
}

extension Connection.FunctionValue {
  fileprivate init(_ value: Value) {
    self =
      switch value {
      case .null: .null
      case .integer(let value): .integer(value)
      case .real(let value): .real(value)
      case .text(let value): .text(value)
      case .blob(let value): .blob(value)
      }
  }
}
