import Basics
import DataModel
import PersistentStore
import SQLite

/// The rows of an entity, read one after the other with plain SQL, as records for a predicate.
final class StoredRows: PredicateRecord {
  private let entity: String
  private let content: StoreContent
  private let names: EntityNames
  private let row: Statement
  private let columns: [String: Int]
  private var targets: [String: [Int64: [Int64]]] = [:]
  /// The rows that relationships refer to, by the relationship's name.
  private var destinations: [String: (rows: StoredRows, isToOne: Bool)] = [:]

  /// Reads the rows of an entity and its sub-entities.
  convenience init(_ entity: String, _ content: StoreContent) throws {
    let family = content.layout.numberList(ofFamily: entity)
    try self.init(entity, content, where: "Z_ENT IN (\(family))")
  }

  private init(_ entity: String, _ content: StoreContent, where condition: String) throws {
    (self.entity, self.content) = (entity, content)
    let names = try EntityNames(entity, in: content.layout)
    let row = try content.connection.prepare(
      "SELECT * FROM \(names.table) NOT INDEXED WHERE \(condition)"
    )
    (self.names, self.row) = (names, row)
    columns = Dictionary(
      keepingFirst: (0..<row.columnCount).map { (row.columnName(at: $0), $0) }
    )
  }

  func step() throws -> Bool { try row.step() }

  var key: Int64 { columns["Z_PK"].map { row.integer(at: $0) } ?? 0 }

  func stored(_ property: String) throws -> Value {
    guard let column = columns[try names.column(property)] else { return .null }
    return row.value(at: column)
  }

  func targetKeys(of relationship: String) throws -> [Int64] {
    let all = try targets[relationship] ?? pairs(of: relationship)
    targets[relationship] = all
    return all[key] ?? []
  }

  func hasTarget(
    of relationship: String,
    where isWanted: (any PredicateRecord) throws -> Bool
  ) throws -> Bool {
    let (rows, isToOne) = try destinations[relationship] ?? destination(of: relationship)
    destinations[relationship] = (rows, isToOne)
    let keys: [Int64] =
      isToOne
      ? [try stored(relationship).integer].compactMap(\.self)
      : try targetKeys(of: relationship)
    return try keys.contains { try rows.find($0) && isWanted(rows) }
  }

  private func destination(of relationship: String) throws -> (rows: StoredRows, isToOne: Bool) {
    guard let found = content.layout.destination(of: relationship, in: entity) else {
      throw ObjectContextError.unknownProperty(entity: entity, property: relationship)
    }
    var isToOne = false
    if case .foreignKey? = content.layout.storage(of: relationship, in: entity) { isToOne = true }
    return (try StoredRows(found.entity, content, where: "Z_PK = ?1"), isToOne)
  }

  /// Reads the row with a key; returns false if the row does not exist.
  private func find(_ key: Int64) throws -> Bool {
    row.reset()
    row.bind(key, at: 1)
    return try row.step()
  }

  /// The targets of every object, by the object's key.
  private func pairs(of relationship: String) throws -> [Int64: [Int64]] {
    let (table, own, other): (String, String, String)
    switch content.layout.storage(of: relationship, in: entity) {
    case .inverseForeignKey(let found, let key, _): (table, own, other) = (found, key, "Z_PK")
    case .join(let found, let side):
      (table, own, other) = (found, side.ownColumn, side.otherColumn)
    case .foreignKey, nil:
      throw ObjectContextError.unknownProperty(entity: entity, property: relationship)
    }
    let rows = try content.connection.prepare(
      "SELECT \(own), \(other) FROM \(table) NOT INDEXED WHERE \(own) IS NOT NULL"
    )
    var pairs: [Int64: [Int64]] = [:]
    while try rows.step() {
      pairs[rows.integer(at: 0), default: []].append(rows.integer(at: 1))
    }
    return pairs
  }
}
