import DataModel
import GRDB
import PersistentStore

import struct Foundation.Data

/// Which records are read, in which order.
package struct RecordCondition {
  package var predicate: Predicate?
  /// Attributes, the first one weighing most.
  package var sortKeys: [(property: String, isDescending: Bool)]
  /// The most records; 0 is all of them.
  package var limit: Int
  package var offset: Int

  package init(
    predicate: Predicate? = nil,
    sortKeys: [(property: String, isDescending: Bool)] = [],
    limit: Int = 0,
    offset: Int = 0
  ) {
    self.predicate = predicate
    self.sortKeys = sortKeys
    self.limit = limit
    self.offset = offset
  }

  func request<Record: StoreRecord>(
    of type: Record.Type,
    layout: StoreLayout
  ) throws -> QueryInterfaceRequest<Record> {
    var request = type.all()
    if let predicate {
      request = request.filter(try expression(predicate, of: type, layout))
    }
    let keys = try sortKeys.map { key in
      let column = try column(of: key.property, of: type, layout)
      return key.isDescending ? column.desc : column.asc
    }
    if !keys.isEmpty { request = request.order(keys) }
    if limit > 0 || offset > 0 {
      request = request.limit(limit > 0 ? limit : -1, offset: offset > 0 ? offset : nil)
    }
    return request
  }

  private func column<Record: StoreRecord>(
    of property: String,
    of type: Record.Type,
    _ layout: StoreLayout
  ) throws -> GRDB.Column {
    if let column = layout.column(of: property, in: type.entity) { return GRDB.Column(column.name) }
    if case .foreignKey(let column, _, _) = layout.storage(of: property, in: type.entity) {
      return GRDB.Column(column)
    }
    throw ObjectContextError.unknownProperty(entity: type.entity, property: property)
  }

  private func expression<Record: StoreRecord>(
    _ predicate: Predicate,
    of type: Record.Type,
    _ layout: StoreLayout
  ) throws -> SQLExpression {
    switch predicate {
    case .comparison(let property, let comparison, let value):
      let column = try column(of: property, of: type, layout)
      let value = value.databaseValue
      return switch comparison {
      case .equal: column == value
      case .notEqual: column != value
      case .less: column < value
      case .lessOrEqual: column <= value
      case .greater: column > value
      case .greaterOrEqual: column >= value
      }
    case .isNull(let property): return try column(of: property, of: type, layout) == nil
    case .beginsWith(let property, let prefix):
      let column = try column(of: property, of: type, layout)
      return column >= prefix && column < prefix + "\u{10FFFF}"
    case .count(let relationship, let comparison, let number):
      return try count(relationship, of: type, layout, comparison, number)
    case .keys(let keys): return keys.contains(GRDB.Column("Z_PK"))
    case .not(let inner): return !(try expression(inner, of: type, layout))
    case .and(let parts):
      return try joined(parts, by: .and, of: type, layout)
    case .or(let parts):
      return try joined(parts, by: .or, of: type, layout)
    }
  }

  private func joined<Record: StoreRecord>(
    _ parts: [Predicate],
    by joining: SQLExpression.AssociativeBinaryOperator,
    of type: Record.Type,
    _ layout: StoreLayout
  ) throws -> SQLExpression {
    try parts.map { try expression($0, of: type, layout) }.joined(operator: joining)
  }

  private func count<Record: StoreRecord>(
    _ relationship: String,
    of type: Record.Type,
    _ layout: StoreLayout,
    _ comparison: Predicate.Operator,
    _ number: Int
  ) throws -> SQLExpression {
    let (table, column): (String, String)
    switch layout.storage(of: relationship, in: type.entity) {
    case .inverseForeignKey(let found, let key, _): (table, column) = (found, key)
    case .join(let found, let side): (table, column) = (found, side.ownColumn)
    case .foreignKey, nil:
      throw ObjectContextError.unknownProperty(entity: type.entity, property: relationship)
    }
    let text =
      "(SELECT COUNT(*) FROM \(table) WHERE \(column) = \(type.databaseTableName).Z_PK) "
      + "\(comparison.rawValue) ?"
    return SQL(sql: text, arguments: [number]).sqlExpression
  }
}

extension Value {
  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let value): value.databaseValue
    case .real(let value): value.databaseValue
    case .text(let value): value.databaseValue
    case .blob(let bytes): Data(bytes).databaseValue
    }
  }
}
