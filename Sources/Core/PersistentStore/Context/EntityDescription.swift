import Basics
import DataModel
import SQLite

/// An entity as a context uses it: the slots of its objects, with one value each, and the SQL for
/// its table.
package final class EntityDescription {
  /// A to-one relationship, with the slots for its target and for its position in an ordered
  /// inverse.
  ///
  /// It is a class, because each copy of a structure would retain its strings.
  package final class ToOne {
    package let name: String
    package let slot: Int
    let entitySlot: Int?
    let orderSlot: Int?
    let destination: String
    package let relationship: Relationship
    let inverse: Relationship?

    init(
      _ relationship: Relationship,
      inverse: Relationship?,
      slot: Int,
      entitySlot: Int?,
      orderSlot: Int?
    ) {
      name = relationship.name
      self.slot = slot
      self.entitySlot = entitySlot
      self.orderSlot = orderSlot
      destination = relationship.destination
      self.relationship = relationship
      self.inverse = inverse
    }
  }

  /// A to-many relationship, with its index among the entity's to-many relationships and its
  /// storage in the database.
  package final class ToMany {
    package let name: String
    let index: Int
    let storage: RelationshipStorage
    package let relationship: Relationship
    let inverse: Relationship?

    init(
      _ relationship: Relationship,
      inverse: Relationship?,
      index: Int,
      storage: RelationshipStorage
    ) {
      name = relationship.name
      self.index = index
      self.storage = storage
      self.relationship = relationship
      self.inverse = inverse
    }
  }

  package let entity: Entity
  package let number: Int
  let root: Int
  package let table: EntityTable
  let objects: IdentityMap.Table
  /// The columns of the entity and its super-entities, in the order of the table.
  package let columns: [Column]
  let insertion: String
  let slotCount: Int
  package let toOnes: [ToOne]
  package let toManys: [ToMany]
  let externalSlots: [Int]
  let defaults: [Value]
  let requiredSlots: [Int]
  let keySlots: [Int]
  let joins: [ToMany]
  let ordered: [ToMany]
  /// The INSERT statement of saves, cached because a lookup by its long SQL would be slow.
  private var inserting: Statement?
  /// The UPDATE statements of saves by the slots that they set, cached like the INSERT statement.
  private var updating: [[Int]: Statement] = [:]
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
    defaults = columns.map { column in
      if case .attribute(let attribute) = column.content { return attribute.defaultValue }
      return .null
    }
    requiredSlots = columns.indices.filter { slot in
      switch columns[slot].content {
      case .attribute(let attribute): !attribute.isOptional && attribute.derivation == nil
      case .foreignKey(let relationship): !relationship.isOptional
      default: false
      }
    }
    keySlots = columns.indices.filter { slot in
      switch columns[slot].content {
      case .foreignKey, .inverselessKey: true
      default: false
      }
    }
    slots = Dictionary(
      keepingFirst: columns.enumerated().compactMap { index, column in
        if case .attribute(let attribute) = column.content { return (attribute.name, index) }
        return nil
      }
    )
    toOnes = Self.toOnes(of: lineage, columns: columns, layout: layout)
    let toManys = Self.toManys(of: lineage, layout: layout)
    self.toManys = toManys
    joins = toManys.filter { if case .join = $0.storage { true } else { false } }
    ordered = toManys.filter {
      if case .inverseForeignKey(_, _, .some) = $0.storage { true } else { false }
    }
  }

  func inserting(on connection: Connection) throws -> Statement {
    if let inserting { return inserting }
    let statement = try connection.cached(insertion)
    inserting = statement
    return statement
  }

  /// Returns the statement that sets the given slots of an object of a given version.
  ///
  /// A row whose `Z_OPT` is NULL counts as version 0.
  func updating(_ slots: [Int], ofVersion version: Int64, on connection: Connection) throws
    -> Statement
  {
    let key = version == 0 ? slots + [-1] : slots
    if let known = updating[key] { return known }
    let sets = slots.map { "\(columns[$0].name) = ?, " }.joined()
    let statement = try connection.cached(
      "UPDATE \(table.name) SET \(sets)Z_OPT = ?  WHERE Z_PK = ? AND "
        + Self.condition(ofVersion: version)
    )
    updating[key] = statement
    return statement
  }

  static func condition(ofVersion version: Int64) -> String {
    version == 0 ? "(Z_OPT = ? OR Z_OPT IS NULL)" : "Z_OPT = ?"
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
          relationship,
          inverse: layout.model.inverse(of: relationship),
          slot: key,
          entitySlot: slot(.foreignEntity(relationship)),
          orderSlot: slot(.orderKey(relationship))
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
      ToMany(found.0, inverse: layout.model.inverse(of: found.0), index: index, storage: found.1)
    }
  }

  /// Returns the slot of an attribute.
  ///
  /// - Throws: ``ObjectContextError/unknownProperty(entity:property:)``.
  package func slot(of attribute: String) throws -> Int {
    guard let slot = slots[attribute] else {
      throw ObjectContextError.unknownProperty(entity: name, property: attribute)
    }
    return slot
  }

  /// Returns the to-one relationship with the given name, if any.
  package func toOne(_ name: String) -> ToOne? { toOnes.first { $0.name == name } }

  /// Returns the to-many relationship with the given name, if any.
  package func toMany(_ name: String) -> ToMany? { toManys.first { $0.name == name } }
}
