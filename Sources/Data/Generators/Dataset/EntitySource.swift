import DataModel

/// The generated objects of one concrete entity.
package final class EntitySource: Sendable {
  package let name: String
  /// The entity's number in the store, Z_ENT.
  package let number: Int
  /// The number of objects, which are rows `0..<count`.
  package let count: Int
  /// The rows that share a key; `nil` where no duplicates are made.
  package let duplicates: DuplicateClusters?
  /// The entity's rows in its table.
  let span: Span
  /// By attribute, inherited ones included.
  let attributes: [String: AttributeSource]
  /// By relationship, inherited ones included.
  let relationships: [String: RelationshipSource]
  /// By attribute and to-one, what is changed in a few rows.
  let changes: [String: PropertyChanges]

  init(
    name: String,
    number: Int,
    span: Span,
    duplicates: DuplicateClusters?,
    attributes: [String: AttributeSource],
    relationships: [String: RelationshipSource],
    changes: [String: PropertyChanges]
  ) {
    self.name = name
    self.number = number
    count = span.count
    self.span = span
    self.duplicates = duplicates
    self.attributes = attributes
    self.relationships = relationships
    self.changes = changes
  }

  /// The primary key of a row: row + 1, after the rows of the entities before it in the same table.
  package func primaryKey(row: Int) -> Int64 { Int64(span.offset + row + 1) }

  func attribute(_ name: String) throws -> AttributeSource {
    guard let source = attributes[name] else {
      throw GeneratorsError.unknownProperty(entity: self.name, property: name)
    }
    return source
  }

  func relationship(_ name: String) throws -> RelationshipSource {
    guard let source = relationships[name] else {
      throw GeneratorsError.unknownProperty(entity: self.name, property: name)
    }
    return source
  }
}
