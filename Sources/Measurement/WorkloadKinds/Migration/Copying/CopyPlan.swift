import DataModel
import PersistentStore

/// What a copy of all objects carries from one model to another.
struct CopyPlan {
  /// What is carried of the objects of one entity.
  struct EntityCopy {
    let source: String
    let destination: String
    /// Attributes that are in both models.
    let attributes: [AttributeMapping]
    let links: [Link]
  }

  /// A relationship that is carried, seen from the side that is written.
  struct Link {
    let source: Relationship
    let destination: Relationship
    /// The table of the source that the targets' keys belong to.
    let targetTable: String
  }

  /// The source's root entities, whose tables are gone through one after the other.
  let roots: [String]
  /// By the source's entity.
  let entities: [String: EntityCopy]

  init(mapping: MappingModel, source: StoreLayout) {
    var entities: [String: EntityCopy] = [:]
    for entity in mapping.entities {
      guard let former = entity.source else { continue }
      entities[former] = EntityCopy(
        source: former,
        destination: entity.destination,
        attributes: entity.attributes.filter {
          !$0.destination.isTransient && $0.source?.isTransient == false
        },
        links: entity.relationships.compactMap { relationship in
          Self.link(relationship, mapping: mapping, source: source)
        }
      )
    }
    self.entities = entities
    roots = source.tables.filter { table in table.entities.contains { entities[$0] != nil } }
      .map(\.root)
  }

  private static func link(
    _ relationship: RelationshipMapping,
    mapping: MappingModel,
    source: StoreLayout
  ) -> Link? {
    guard let former = relationship.source, !former.isTransient,
      !relationship.destination.isTransient,
      isWritten(relationship.destination, in: mapping),
      let table = source.table(of: former.destination)?.name
    else { return nil }
    return Link(source: former, destination: relationship.destination, targetTable: table)
  }

  /// Whether a relationship is written from this side; its inverse follows.
  ///
  /// The side that has an order is written, else the side with the key, else the first by name.
  private static func isWritten(_ relationship: Relationship, in mapping: MappingModel) -> Bool {
    guard let inverse = mapping.destination.inverse(of: relationship),
      let other = mapping.mapping(to: relationship.destination)?.relationships.first(where: {
        $0.destination.name == inverse.name
      }), other.source != nil
    else { return true }
    if relationship.isOrdered != inverse.isOrdered { return relationship.isOrdered }
    if relationship.isToMany != inverse.isToMany { return !relationship.isToMany }
    let names = (relationship.name + relationship.destination, inverse.name + inverse.destination)
    return names.0 <= names.1
  }
}

/// An object on its way: the values of its entity's carried attributes.
struct CarriedObject {
  let copy: CopyPlan.EntityCopy
  /// The primary key in the source.
  let key: Int64
  let values: [Value]
}

/// The keys in the source that an object's carried relationships lead to, in order.
struct CarriedLinks {
  let copy: CopyPlan.EntityCopy
  let key: Int64
  let targets: [[Int64]]
}

/// Where the objects of a copy come from: all of them, then all their relationships.
protocol ObjectSource {
  func forEachObject(_ body: (CarriedObject) throws -> Void) throws
  func forEachLinks(_ body: (CarriedLinks) throws -> Void) throws
}

/// Where the objects of a copy go to.
protocol ObjectSink {
  func insert(_ object: CarriedObject) throws
  /// Called once after the last object and before the first links.
  func finishObjects() throws
  func relate(_ links: CarriedLinks) throws
  func finish() throws
}
