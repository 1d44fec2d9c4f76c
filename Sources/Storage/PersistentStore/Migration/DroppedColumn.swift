/// A column, or the whole table of an entity's objects, that opening a store with another model
/// would drop.
package struct DroppedColumn: Hashable, Encodable, Sendable {
  package enum Kind: String, Encodable, Sendable {
    case objects
    case attribute
    case relationship
  }

  package let kind: Kind
  package let entity: String
  /// `nil` where all objects of the entity go.
  package let property: String?
  /// How many objects, non-null values or pairs are lost; `nil` where no store was given.
  package let count: Int64?

  /// The entity, or the entity and the property, as a report names them.
  package var name: String { property.map { "\(entity).\($0)" } ?? entity }
}
