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

/// Reads objects through a context, batch by batch in the order of their keys.
struct ContextSource: ObjectSource {
  let context: ObjectContext
  let plan: CopyPlan
  let fetchBatchSize: Int

  func forEachObject(_ body: (CarriedObject) throws -> Void) throws {
    for root in plan.roots {
      try forEach(
        root,
        read: { object, copy in
          let values = try copy.attributes.map { try object.value(of: $0.source?.name ?? "") }
          return CarriedObject(copy: copy, key: object.key, values: values)
        },
        body
      )
    }
  }

  func forEachLinks(_ body: (CarriedLinks) throws -> Void) throws {
    for root in plan.roots where hasLinks(root) {
      try forEach(
        root,
        read: { object, copy in
          guard !copy.links.isEmpty else { return nil }
          let targets = try copy.links.map { try keys(of: $0.source, from: object) }
          return CarriedLinks(copy: copy, key: object.key, targets: targets)
        },
        body
      )
    }
  }

  private func hasLinks(_ root: String) -> Bool {
    context.layout.table(of: root)?.entities
      .contains { plan.entities[$0]?.links.isEmpty == false } ?? false
  }

  private func keys(
    of relationship: Relationship,
    from object: ManagedObject
  ) throws -> [Int64] {
    if let toOne = object.description.toOne(relationship.name) {
      return try object.targetKey(of: toOne).map { [$0] } ?? []
    }
    return try object.targets(of: relationship.name).map(\.key)
  }

  /// Reads a page and forgets its objects before what was read is handed on: whoever takes it may
  /// load a page of copies.
  private func forEach<Carried>(
    _ root: String,
    read: (ManagedObject, CopyPlan.EntityCopy) throws -> Carried?,
    _ body: (Carried) throws -> Void
  ) throws {
    try context.forEachPage(of: root, size: fetchBatchSize) { keys in
      let page = try carried(by: keys, of: root, read)
      // What was reached through a page's objects goes with the page.
      context.reset()
      for carried in page { try body(carried) }
    }
  }

  private func carried<Carried>(
    by keys: [Int64],
    of root: String,
    _ read: (ManagedObject, CopyPlan.EntityCopy) throws -> Carried?
  ) throws -> [Carried] {
    let objects = try context.objects(root, keys: keys, fetchBatchSize: fetchBatchSize)
    return try keys.indices.compactMap { index in
      let object = try objects.object(at: index)
      return try plan.entities[object.description.name].flatMap { try read(object, $0) }
    }
  }
}

/// Fills or leaves out objects that lack a value that the new model requires.
///
/// Only the keys of objects left out are kept.
final class MissingValuePolicy {
  /// The date that stands in for a missing one: a fixed one, where an app takes the present.
  static let date = 796_726_800.0

  private let rule: MigrationParameters.MissingValues
  private var skipped: [String: Set<Int64>] = [:]
  private(set) var substitutions = 0

  /// The number of objects left out.
  var skips: Int { skipped.values.reduce(0) { $0 + $1.count } }

  init(_ rule: MigrationParameters.MissingValues) {
    self.rule = rule
  }

  /// The object as it is to be inserted; `nil` where it is left out.
  func callAsFunction(_ carried: CarriedObject) -> CarriedObject? {
    guard rule != .fail else { return carried }
    let missing = carried.values.indices.filter { index in
      carried.values[index] == .null && !carried.copy.attributes[index].destination.isOptional
    }
    guard !missing.isEmpty else { return carried }
    if rule == .skip {
      skipped[carried.copy.source, default: []].insert(carried.key)
      return nil
    }
    substitutions += missing.count
    var values = carried.values
    for index in missing {
      let attribute = carried.copy.attributes[index].destination
      values[index] =
        attribute.defaultValue == .null
        ? Self.standIn(of: attribute.type, key: carried.key) : attribute.defaultValue
    }
    return CarriedObject(copy: carried.copy, key: carried.key, values: values)
  }

  /// Whether an object was left out.
  func isSkipped(_ links: CarriedLinks) -> Bool {
    skipped[links.copy.source]?.contains(links.key) ?? false
  }

  /// What guides write after `??`: nothing, zero, now, a new UUID; here one that the key decides.
  static func standIn(of type: AttributeType, key: Int64) -> Value {
    switch type {
    case .integer16, .integer32, .integer64, .boolean, .decimal: .integer(0)
    case .double, .float: .real(0)
    case .date: .real(date)
    case .string, .uri: .text("")
    case .uuid:
      .blob(
        Array(repeating: 0, count: 8)
          + (0..<8).map { UInt8(truncatingIfNeeded: key >> (56 - 8 * $0)) }
      )
    case .binary, .transformable: .blob([])
    case .objectID, .composite: .null
    }
  }
}
