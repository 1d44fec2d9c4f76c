import Basics
import DataModel
import PersistentStore

/// The objects that a recipe describes, computed by pure functions.
///
/// A dataset is used both to generate a store and to verify it.
///
/// A value depends only on the recipe, the entity, the row and the property. Any object can be
/// generated on its own, on any thread. Only the duplicate clusters and 4 bytes per parent for each
/// one-to-many relationship are precomputed.
package struct Dataset: Sendable {
  package let recipe: Recipe
  package let layout: StoreLayout
  /// The concrete entities, ordered by entity number.
  package let entities: [EntitySource]
  let inverselessParents: [String: RelationshipSource]
  let links: [String: RelationshipSource]
  let orphans: [String: DefectRows]
  private let indexes: [String: Int]

  package init(_ recipe: Recipe) {
    let layout = StoreLayout(
      model: recipe.model,
      keepsHistory: recipe.history != nil,
      generation: LayoutGeneration(framework: recipe.frameworkVersion)
    )
    let builder = DatasetBuilder(recipe: recipe, layout: layout)
    self.recipe = recipe
    self.layout = layout
    entities = builder.entities()
    inverselessParents = builder.inverselessParents
    links = builder.links
    orphans = builder.orphans
    indexes = Dictionary(keepingFirst: entities.enumerated().map { ($1.name, $0) })
  }

  /// The objects of a concrete entity.
  ///
  /// - Throws: A ``Refusal`` if there is no such entity.
  package func entity(_ name: String) throws -> EntitySource {
    guard let index = indexes[name] else {
      throw Refusal.unknownProperty(entity: name, property: "")
    }
    return entities[index]
  }

  /// The value of an attribute as an app reads it, including the contents of externally stored
  /// blobs.
  package func value(entity: String, row: Int, attribute: String) throws -> Value {
    var cell = Cell()
    try fill(&cell, entity: entity, row: row, attribute: attribute)
    return cell.value
  }

  /// Sets a cell to the value of an attribute.
  ///
  /// The call allocates no memory if the cell's buffer is large enough.
  package func fill(_ cell: inout Cell, entity: String, row: Int, attribute: String) throws {
    let source = try self.entity(entity)
    try source.attribute(attribute).fill(&cell, row: row)
    if let changes = source.changes[attribute], changes.contains(row) {
      changes.apply(to: &cell, row: row)
    }
  }

  /// The contents of the file whose path is the value of an attribute; `nil` if there is no file.
  package func fileContents(entity: String, row: Int, attribute: String) throws -> [UInt8]? {
    var cell = Cell()
    let source = try self.entity(entity).attribute(attribute)
    return source.fillFileContents(&cell, row: row) ? cell.bytes : nil
  }
}

/// The generated objects of one concrete entity.
package final class EntitySource: Sendable {
  package let name: String
  /// The entity's number in the store (`Z_ENT`).
  package let number: Int
  /// The number of objects; their rows are `0..<count`.
  package let count: Int
  /// The clusters of duplicates, which share a key; `nil` if the entity has no duplicates.
  package let duplicates: DuplicateClusters?
  let span: Span
  let attributes: [String: AttributeSource]
  let relationships: [String: RelationshipSource]
  /// The changes to the generated values of a few rows, by attribute or to-one relationship name.
  let changes: [String: PropertyChanges]
  /// The number of saves of each object; `nil` if every object was saved once.
  let saves: SaveCounts?

  init(
    name: String,
    number: Int,
    span: Span,
    duplicates: DuplicateClusters?,
    attributes: [String: AttributeSource],
    relationships: [String: RelationshipSource],
    changes: [String: PropertyChanges],
    saves: SaveCounts?
  ) {
    self.name = name
    self.number = number
    count = span.count
    self.span = span
    self.duplicates = duplicates
    self.attributes = attributes
    self.relationships = relationships
    self.changes = changes
    self.saves = saves
  }

  /// The primary key of a row: row + 1, plus the number of rows of earlier entities in the same
  /// table.
  package func primaryKey(row: Int) -> Int64 { Int64(span.offset + row + 1) }

  func attribute(_ name: String) throws -> AttributeSource {
    guard let source = attributes[name] else {
      throw Refusal.unknownProperty(entity: self.name, property: name)
    }
    return source
  }
}
