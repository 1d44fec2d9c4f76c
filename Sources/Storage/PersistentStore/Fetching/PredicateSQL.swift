import DataModel
import SQLite

/// Turns a predicate into a condition with parameters, as the frameworks write it.
struct PredicateSQL {
  let layout: StoreLayout
  let entity: EntityDescription
  private(set) var values: [Value] = []
  private var subqueries = 0

  init(layout: StoreLayout, entity: EntityDescription) {
    self.layout = layout
    self.entity = entity
  }

  /// The condition's text; its values are added to `values` in the order of the parameters.
  mutating func condition(_ predicate: Predicate) throws -> String {
    switch predicate {
    case .comparison(let property, let op, let value):
      return try comparison(property, op, value)
    case .isNull(let property):
      return "t0.\(try column(of: property)) IS NULL"
    case .beginsWith(let property, let prefix):
      return try range(property, prefix)
    case .count(let relationship, let op, let number):
      return try count(relationship, op, number)
    case .keys(let keys):
      return "t0.Z_PK IN (\(keys.map(String.init).joined(separator: ", ")))"
    case .not(let inner):
      return "NOT (\(try condition(inner)))"
    case .and(let inner):
      return try list(inner, joined: " AND ", whenEmpty: "1")
    case .or(let inner):
      return try list(inner, joined: " OR ", whenEmpty: "0")
    }
  }

  private mutating func list(
    _ predicates: [Predicate],
    joined separator: String,
    whenEmpty: String
  ) throws -> String {
    guard !predicates.isEmpty else { return whenEmpty }
    var parts: [String] = []
    for predicate in predicates { parts.append(try condition(predicate)) }
    return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: separator)))"
  }

  private mutating func comparison(
    _ property: String,
    _ op: Predicate.Operator,
    _ value: Value
  ) throws -> String {
    values.append(value)
    return "t0.\(try column(of: property)) \(op.rawValue) ?"
  }

  /// The texts from the prefix to the last one that starts with it, in binary order.
  private mutating func range(_ property: String, _ prefix: String) throws -> String {
    let column = try column(of: property)
    values.append(.text(prefix))
    values.append(.text(prefix + "\u{10FFFF}"))
    return "(t0.\(column) >= ? AND t0.\(column) < ?)"
  }

  private mutating func count(
    _ relationship: String,
    _ op: Predicate.Operator,
    _ number: Int
  ) throws -> String {
    subqueries += 1
    let name = "t\(subqueries)"
    values.append(.integer(Int64(number)))
    switch layout.storage(of: relationship, in: entity.name) {
    case .inverseForeignKey(let table, let column, _):
      return
        "(SELECT COUNT(\(name).Z_PK) FROM \(table) \(name) WHERE (t0.Z_PK = \(name).\(column)) )"
        + " \(op.rawValue) ?"
    case .join(let table, let side):
      return "(SELECT COUNT(\(name).\(side.otherColumn)) FROM \(table) \(name)"
        + " WHERE (t0.Z_PK = \(name).\(side.ownColumn)) ) \(op.rawValue) ?"
    case .foreignKey, nil:
      throw ObjectContextError.unknownProperty(entity: entity.name, property: relationship)
    }
  }

  /// The column of an attribute or of a to-one.
  func column(of property: String) throws -> String {
    if let toOne = entity.toOne(property) { return entity.columns[toOne.slot].name }
    return entity.columns[try entity.slot(of: property)].name
  }
}
