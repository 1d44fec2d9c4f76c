import Basics
import DataModel

/// An entity as a context works with it: the slots of its objects and the SQL of its table.
package final class EntityDescription {
  /// Where a to-one lies in an object's slots.
  package struct ToOne {
    package let name: String
    package let slot: Int
    /// Holds the target's entity number, where the target's entity has sub-entities.
    let entitySlot: Int?
    let orderSlot: Int?
    /// The root number and name of the destination.
    let destination: String
    package let relationship: Relationship
    let inverse: Relationship?
  }

  /// Where a to-many is kept.
  package struct ToMany {
    package let name: String
    /// The position in an object's list of to-manys.
    let index: Int
    let storage: RelationshipStorage
    package let relationship: Relationship
    let inverse: Relationship?
  }

  package let entity: Entity
  package let number: Int
  let root: Int
  package let table: EntityTable
  /// The objects of the whole family that are in memory.
  let objects: IdentityMap.Table
  /// The columns of the entity and of its super-entities, in the order of the table.
  package let columns: [Column]
  /// The statement that inserts an object: key, entity, version, then a value for each column.
  let insertion: String
  /// The number of columns, at hand for every object that is made.
  let slotCount: Int
  package let toOnes: [ToOne]
  package let toManys: [ToMany]
  /// Slots of attributes that external storage may keep.
  let externalSlots: [Int]
  /// Whether sub-entities share the description's objects' fetches.
  let hasFamily: Bool

  private let slots: [String: Int]

  package var name: String { entity.name }

  init(
    entity: Entity,
    number: Int,
    layout: StoreLayout,
    table: EntityTable,
    objects: IdentityMap.Table
  ) {
    let lineage = layout.model.lineage(of: entity)
    let declarers = Set(lineage.map(\.name))
    let columns = table.columns.filter { declarers.contains($0.entity) }
    self.entity = entity
    self.number = number
    self.root = layout.numbers[table.root] ?? number
    self.table = table
    self.objects = objects
    self.columns = columns
    var names = columns.map(\.name)
    if WriterFault.current == .saving,
      let (first, second) = WriterFault.saving.exchanged(in: columns)
    {
      names.swapAt(first, second)
    }
    insertion =
      "INSERT INTO \(table.name)(Z_PK, Z_ENT, Z_OPT\(names.map { ", \($0)" }.joined())) "
      + "VALUES(?, ?, ?\(names.map { _ in ", ?" }.joined()))"
    slotCount = columns.count
    hasFamily = table.entities.count > 1
    externalSlots = columns.indices.filter {
      if case .attribute(let attribute) = columns[$0].content {
        return attribute.allowsExternalStorage
      }
      return false
    }
    slots = Dictionary(
      keepingFirst: columns.enumerated().compactMap { index, column in
        if case .attribute(let attribute) = column.content { return (attribute.name, index) }
        return nil
      }
    )
    toOnes = Self.toOnes(of: lineage, columns: columns, layout: layout)
    toManys = Self.toManys(of: lineage, layout: layout)
  }

  private static func toOnes(
    of lineage: [Entity],
    columns: [Column],
    layout: StoreLayout
  ) -> [ToOne] {
    lineage.flatMap { declaring in
      declaring.relationships.compactMap { relationship -> ToOne? in
        func slot(_ content: Column.Content) -> Int? {
          columns.firstIndex { $0.entity == declaring.name && $0.content == content }
        }
        guard !relationship.isToMany, let key = slot(.foreignKey(relationship)) else { return nil }
        return ToOne(
          name: relationship.name,
          slot: key,
          entitySlot: slot(.foreignEntity(relationship)),
          orderSlot: slot(.orderKey(relationship)),
          destination: relationship.destination,
          relationship: relationship,
          inverse: layout.model.inverse(of: relationship)
        )
      }
    }
  }

  private static func toManys(of lineage: [Entity], layout: StoreLayout) -> [ToMany] {
    let relationships = lineage.flatMap { declaring in
      declaring.relationships.filter { $0.isToMany && !$0.isTransient }.compactMap {
        relationship in
        layout.storage(of: relationship.name, in: declaring.name).map { (relationship, $0) }
      }
    }
    return relationships.enumerated().map { index, found in
      ToMany(
        name: found.0.name,
        index: index,
        storage: found.1,
        relationship: found.0,
        inverse: layout.model.inverse(of: found.0)
      )
    }
  }

  /// The slot of an attribute.
  ///
  /// - Throws: ``ObjectContextError/unknownProperty(entity:property:)``.
  package func slot(of attribute: String) throws -> Int {
    guard let slot = slots[attribute] else {
      throw ObjectContextError.unknownProperty(entity: name, property: attribute)
    }
    return slot
  }

  /// The to-one of that name; `nil` where the entity has none.
  package func toOne(_ name: String) -> ToOne? { toOnes.first { $0.name == name } }

  /// The to-many of that name; `nil` where the entity has none.
  package func toMany(_ name: String) -> ToMany? { toManys.first { $0.name == name } }
}
