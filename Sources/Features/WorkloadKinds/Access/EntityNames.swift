import Basics
import DataModel
import PersistentStore

typealias PropertyValue = (property: String, value: Value)

/// The table, columns and entity number that SQL statements use for an entity's objects.
struct EntityNames {
  let entity: String
  let table: String
  /// The entity's number, stored in the Z_ENT column of its rows.
  let number: Int64
  /// The columns of attributes and to-one relationships, cached because looking up a column in the
  /// layout would take longer than changing a row.
  private let columns: [String: String]

  init(_ entity: String, in layout: StoreLayout) throws {
    guard let table = layout.table(of: entity), let number = layout.numbers[entity] else {
      throw ObjectContextError.unknownEntity(entity)
    }
    self.entity = entity
    self.table = table.name
    self.number = Int64(number)
    let lineage = layout.model.entity(named: entity).map { layout.model.lineage(of: $0) } ?? []
    let attributes = lineage.flatMap(\.attributes).map(\.name).map {
      ($0, layout.column(of: $0, in: entity)?.name)
    }
    let toOnes = lineage.flatMap(\.relationships).map(\.name).map { name -> (String, String?) in
      guard case .foreignKey(let column, _, _)? = layout.storage(of: name, in: entity) else {
        return (name, nil)
      }
      return (name, column)
    }
    columns = Dictionary(keepingFirst: attributes + toOnes).compactMapValues(\.self)
  }

  /// The statement that counts the objects per value of a column, as seen in public logs.
  func counts(by column: String) -> String {
    "SELECT t0.\(column), COUNT( t0.\(column)) AS __var0 FROM \(table) t0 GROUP BY  t0.\(column)"
  }

  func column(_ property: String) throws -> String {
    if let column = columns[property] { return column }
    throw ObjectContextError.unknownProperty(entity: entity, property: property)
  }
}
