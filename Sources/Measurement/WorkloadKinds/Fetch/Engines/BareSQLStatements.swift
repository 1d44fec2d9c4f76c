import DataModel
import PersistentStore
import SQLite

/// The plain statements of a case.
struct BareSQLStatements {
  /// All rows of the request, the key first.
  let rows: String
  let keys: String
  let count: String
  /// The rows whose keys are in the table `batch`.
  let batch: String
  /// The row of one key.
  let row: String
  private let values: [Value]

  init(_ parameters: FetchParameters, _ subject: FetchSubject, layout: StoreLayout) throws {
    guard let table = layout.table(of: subject.entity.name) else {
      throw FetchError.unknownEntity(subject.entity.name, candidates: [])
    }
    var conditions: [String] = []
    let family = layout.model.family(of: subject.entity).compactMap { layout.numbers[$0.name] }
    if family.count < table.entities.count {
      conditions.append("Z_ENT IN (\(family.map(String.init).joined(separator: ", ")))")
    }
    var translation = BareCondition(entity: subject.entity.name, table: table, layout: layout)
    if let predicate = subject.predicate { conditions.append(try translation.text(of: predicate)) }
    values = translation.values
    let columns = subject.shape.properties.map { ", " + translation.column(of: $0) }.joined()
    let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    let order = parameters.sortKeys.map {
      translation.column(of: $0.property) + ($0.isDescending ? " DESC" : "")
    }
    let tail =
      " FROM \(table.name)" + filter
      + (order.isEmpty ? "" : " ORDER BY " + order.joined(separator: ", "))
      + Self.limit(parameters)
    rows = "SELECT Z_PK\(columns)" + tail
    keys = "SELECT Z_PK" + tail
    count = "SELECT COUNT(*) FROM \(table.name)" + filter
    batch = "SELECT Z_PK\(columns) FROM \(table.name) WHERE Z_PK IN (SELECT value FROM batch)"
    row = "SELECT Z_PK\(columns) FROM \(table.name) WHERE Z_PK = ?"
  }

  private static func limit(_ parameters: FetchParameters) -> String {
    guard parameters.limit > 0 || parameters.offset > 0 else { return "" }
    let limit = parameters.limit > 0 ? parameters.limit : -1
    return " LIMIT \(limit)" + (parameters.offset > 0 ? " OFFSET \(parameters.offset)" : "")
  }

  /// Runs one of the statements of the whole request and hands out its rows.
  func run(_ sql: String, on connection: Connection, _ body: (Statement) -> Void) throws {
    let statement = try connection.cached(sql)
    defer { statement.reset() }
    for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
    while try statement.step() { body(statement) }
  }
}

/// A predicate as a condition on a table's columns.
private struct BareCondition {
  let entity: String
  let table: EntityTable
  let layout: StoreLayout
  private(set) var values: [Value] = []

  init(entity: String, table: EntityTable, layout: StoreLayout) {
    self.entity = entity
    self.table = table
    self.layout = layout
  }

  /// The column of an attribute or of a to-one; names were looked up before.
  func column(of property: String) -> String {
    if let column = layout.column(of: property, in: entity) { return column.name }
    if case .foreignKey(let column, _, _) = layout.storage(of: property, in: entity) {
      return column
    }
    return "NULL"
  }

  mutating func text(of predicate: Predicate) throws -> String {
    switch predicate {
    case .comparison(let property, let comparison, let value):
      values.append(value)
      return "\(column(of: property)) \(comparison.rawValue) ?"
    case .isNull(let property): return "\(column(of: property)) IS NULL"
    case .beginsWith(let property, let prefix):
      values.append(.text(prefix))
      values.append(.text(prefix + "\u{10FFFF}"))
      return "(\(column(of: property)) >= ? AND \(column(of: property)) < ?)"
    case .count(let relationship, let comparison, let number):
      values.append(.integer(Int64(number)))
      return "\(try targets(of: relationship)) \(comparison.rawValue) ?"
    case .keys(let keys): return "Z_PK IN (\(keys.map(String.init).joined(separator: ", ")))"
    case .not(let inner): return "NOT (\(try text(of: inner)))"
    case .and(let parts): return try joined(parts, by: " AND ", empty: "1")
    case .or(let parts): return try joined(parts, by: " OR ", empty: "0")
    }
  }

  private mutating func joined(
    _ parts: [Predicate],
    by separator: String,
    empty: String
  ) throws -> String {
    var texts: [String] = []
    for part in parts { texts.append(try text(of: part)) }
    return texts.isEmpty ? empty : "(\(texts.joined(separator: separator)))"
  }

  private func targets(of relationship: String) throws -> String {
    switch layout.storage(of: relationship, in: entity) {
    case .inverseForeignKey(let target, let column, _):
      return "(SELECT COUNT(*) FROM \(target) AS t WHERE t.\(column) = \(table.name).Z_PK)"
    case .join(let target, let side):
      return "(SELECT COUNT(*) FROM \(target) AS t WHERE t.\(side.ownColumn) = \(table.name).Z_PK)"
    case .foreignKey, nil: throw FetchError.notToMany(relationship, entity: entity)
    }
  }
}
