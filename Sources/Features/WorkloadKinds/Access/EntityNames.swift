import Basics
import DataModel
import PersistentStore

/// A value for an attribute or a to-one of an object.
typealias PropertyValue = (property: String, value: Value)

/// The names that plain statements use for the objects of an entity.
struct EntityNames {
  let entity: String
  let table: String
  /// The entity's number, which its rows have in Z_ENT.
  let number: Int64
  /// The columns of attributes and to-ones: the layout's search for one weighs more than a change.
  private let columns: [String: String]

  /// - Throws: ``ObjectContextError/unknownEntity(_:)``
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

  /// The statement of public logs that counts objects by the values of a column.
  func counts(by column: String) -> String {
    "SELECT t0.\(column), COUNT( t0.\(column)) AS __var0 FROM \(table) t0 GROUP BY  t0.\(column)"
  }

  /// The column of an attribute or a to-one.
  ///
  /// - Throws: ``ObjectContextError/unknownProperty(entity:property:)``
  func column(_ property: String) throws -> String {
    if let column = columns[property] { return column }
    throw ObjectContextError.unknownProperty(entity: entity, property: property)
  }
}
