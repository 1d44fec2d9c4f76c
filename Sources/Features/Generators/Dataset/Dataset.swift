import Basics
import DataModel
import PersistentStore

/// The objects of a recipe as a pure function: a store is made from it, and verified against it.
///
/// A value depends on the recipe, the entity, the row and the property only. Any object can be made
/// alone, on any thread; what is precomputed is 4 bytes a parent for each one-to-many relationship,
/// and the clusters of duplicates.
package struct Dataset: Sendable {
  package let recipe: Recipe
  package let layout: StoreLayout
  /// The concrete entities in the order of their numbers.
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
  package func entity(_ name: String) throws -> EntitySource {
    guard let index = indexes[name] else {
      throw Refusal.unknownProperty(entity: name, property: "")
    }
    return entities[index]
  }

  /// An attribute's value, in the form in which the store gives it back; a blob of external storage
  /// as the app sees it.
  package func value(entity: String, row: Int, attribute: String) throws -> Value {
    var cell = Cell()
    try fill(&cell, entity: entity, row: row, attribute: attribute)
    return cell.value
  }

  /// Sets a cell to an attribute's value, without allocating where the cell's buffer is large
  /// enough.
  package func fill(_ cell: inout Cell, entity: String, row: Int, attribute: String) throws {
    let source = try self.entity(entity)
    try source.attribute(attribute).fill(&cell, row: row)
    if let changes = source.changes[attribute], changes.contains(row) {
      changes.apply(to: &cell, row: row)
    }
  }

  /// The bytes of a file whose path an attribute holds; `nil` where there is no file.
  package func fileContents(entity: String, row: Int, attribute: String) throws -> [UInt8]? {
    var cell = Cell()
    let source = try self.entity(entity).attribute(attribute)
    return source.fillFileContents(&cell, row: row) ? cell.bytes : nil
  }
}

/// The generated objects of one concrete entity.
package final class EntitySource: Sendable {
  package let name: String
  /// The entity's number in the store, Z_ENT.
  package let number: Int
  /// The number of objects, which are rows `0..<count`.
  package let count: Int
  /// The rows that share a key; `nil` where no duplicates are made.
  package let duplicates: DuplicateClusters?
  let span: Span
  /// By attribute, inherited ones included.
  let attributes: [String: AttributeSource]
  /// By relationship, inherited ones included.
  let relationships: [String: RelationshipSource]
  /// By attribute and to-one, what is changed in a few rows.
  let changes: [String: PropertyChanges]
  /// `nil` where every object was saved once.
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

  /// The primary key of a row: row + 1, after the rows of the entities before it in the same table.
  package func primaryKey(row: Int) -> Int64 { Int64(span.offset + row + 1) }

  func attribute(_ name: String) throws -> AttributeSource {
    guard let source = attributes[name] else {
      throw Refusal.unknownProperty(entity: self.name, property: name)
    }
    return source
  }
}
