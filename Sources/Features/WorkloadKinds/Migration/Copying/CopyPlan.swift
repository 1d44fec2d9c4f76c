import DataModel
import PersistentStore

/// What a copy of all objects carries from one model to another.
struct CopyPlan {
  /// What is carried of the objects of one entity into those of another.
  ///
  /// A class: every object and its links lead to it.
  final class EntityCopy {
    /// What an export's lines call it, and what tells it from others of one source.
    let name: String
    let source: String
    let destination: String
    /// All of them must hold for an object to be carried.
    let conditions: [EntityMap.Condition]
    /// Attributes whose values come from the source.
    let attributes: [AttributeMapping]
    let links: [Link]
    /// What keys of the source the identities of copies are found by.
    let space: String
    /// What stands for NULL in each carried attribute.
    let fallbacks: [Value]
    private var slots: (source: [Int?]?, destination: [Int]?) = (nil, nil)

    init(_ mapping: EntityMapping, source: String, links: [Link], space: String) {
      name = mapping.name ?? source
      self.source = source
      destination = mapping.destination
      conditions = mapping.conditions
      attributes = mapping.attributes.filter { attribute in
        !attribute.destination.isTransient
          && (attribute.value != nil || attribute.source?.isTransient == false)
      }
      fallbacks = attributes.map { attribute in
        attribute.destination.isOptional ? .null : attribute.destination.defaultValue
      }
      self.links = links
      self.space = space
    }

    /// Where the attributes lie in objects of the source; `nil` where a map makes the value.
    ///
    /// Found once, as their names would be looked up for every value otherwise.
    func sourceSlots(in description: EntityDescription) throws -> [Int?] {
      if let known = slots.source { return known }
      let found = try attributes.map { attribute in
        try attribute.value == nil
          ? attribute.source.map { try description.slot(of: $0.name) } : nil
      }
      slots.source = found
      return found
    }

    /// Where they lie in copies; what an insertion is merged with may be of a sub-entity.
    func destinationSlots(in description: EntityDescription) throws -> [Int] {
      let isOwn = description.name == destination
      if isOwn, let known = slots.destination { return known }
      let found = try attributes.map { try description.slot(of: $0.destination.name) }
      if isOwn { slots.destination = found }
      return found
    }
  }

  /// A relationship that is carried, seen from the side that is written.
  struct Link {
    /// What an export's lines call it.
    let name: String
    /// `nil` where it leads to what else was made of the same object.
    let source: Relationship?
    let destination: Relationship
    /// Whether both sides have an order, which adding from one side does not give the other.
    let isOrderedOnBothSides: Bool
    /// Where the targets' identities are found by their keys in the source, one after the other.
    let spaces: [String]
  }

  /// The source's root entities, whose tables are gone through one after the other.
  let roots: [String]
  /// By the source's entity: several where objects are split.
  let entities: [String: [EntityCopy]]

  init(mapping: MappingModel, source: StoreLayout) {
    let spaces = IdentitySpaces(mapping: mapping, source: source)
    var entities: [String: [EntityCopy]] = [:]
    for entity in mapping.entities {
      guard let former = entity.source else { continue }
      let copy = EntityCopy(
        entity,
        source: former,
        links: entity.relationships.compactMap { relationship in
          Self.link(relationship, of: entity, mapping: mapping, spaces)
        },
        space: spaces.space(of: entity)
      )
      entities[former, default: []].append(copy)
    }
    self.entities = entities
    roots = source.tables.filter { table in table.entities.contains { entities[$0] != nil } }
      .map(\.root)
  }

  private static func link(
    _ relationship: RelationshipMapping,
    of entity: EntityMapping,
    mapping: MappingModel,
    _ spaces: IdentitySpaces
  ) -> Link? {
    guard !relationship.destination.isTransient, isWritten(relationship.destination, in: mapping)
    else { return nil }
    let found = spaces.spaces(of: relationship, from: entity)
    guard !found.isEmpty else { return nil }
    let isSame = if case .sameSource? = relationship.expression { true } else { false }
    guard isSame || relationship.source?.isTransient == false else { return nil }
    return Link(
      name: (mapping.map == nil ? relationship.source : nil)?.name ?? relationship.destination.name,
      source: isSame ? nil : relationship.source,
      destination: relationship.destination,
      isOrderedOnBothSides: mapping.destination.inverse(of: relationship.destination)
        .map { isOrdered($0, and: relationship.destination) } ?? false,
      spaces: found
    )
  }

  /// Whether a relationship is written from this side; its inverse follows.
  ///
  /// The side that has an order is written, else the side with the key, else the first by name;
  /// both where both have an order.
  private static func isWritten(_ relationship: Relationship, in mapping: MappingModel) -> Bool {
    guard let inverse = mapping.destination.inverse(of: relationship),
      mapping.mappings(to: relationship.destination).contains(where: { entity in
        entity.relationships.contains { $0.destination.name == inverse.name && $0.isFilled }
      })
    else { return true }
    if isOrdered(relationship, and: inverse) { return true }
    if relationship.isOrdered != inverse.isOrdered { return relationship.isOrdered }
    if relationship.isToMany != inverse.isToMany { return !relationship.isToMany }
    let names = (relationship.name + relationship.destination, inverse.name + inverse.destination)
    return names.0 <= names.1
  }

  private static func isOrdered(_ relationship: Relationship, and inverse: Relationship) -> Bool {
    [relationship, inverse].allSatisfy { $0.isOrdered && $0.isToMany }
  }
}

extension RelationshipMapping {
  /// Whether a map or the models say what it leads to.
  fileprivate var isFilled: Bool {
    switch expression {
    case nil, .source, .mapped: source != nil
    case .sameSource: true
    case .none?, .function: false
    }
  }
}

/// Where the identities of copies are kept by the keys of what they were made of: by the source's
/// table, and apart from each other where one object becomes several.
private struct IdentitySpaces {
  let mapping: MappingModel
  let source: StoreLayout

  func space(of entity: EntityMapping) -> String {
    let table = entity.source.flatMap(source.table(of:))?.name ?? ""
    guard mapping.map != nil else { return table }
    let root = root(of: entity)
    let isSplit = mapping.entities.contains { other in
      other.source == entity.source && other.name != entity.name && self.root(of: other) == root
    }
    return "\(table) \(root)" + (isSplit ? " \(entity.name ?? "")" : "")
  }

  /// The spaces of the objects that a relationship leads to.
  func spaces(of relationship: RelationshipMapping, from entity: EntityMapping) -> [String] {
    let goals =
      mapping.destination.entity(named: relationship.destination.destination)
      .map(mapping.destination.family)?.map(\.name) ?? []
    var found: [String] = []
    guard mapping.map != nil else { return [table(of: relationship)].compactMap(\.self) }
    for other in candidates(of: relationship, from: entity)
    where goals.contains(other.destination) {
      let space = space(of: other)
      if !found.contains(space) { found.append(space) }
    }
    return found
  }

  /// The source's table of a relationship's objects.
  private func table(of relationship: RelationshipMapping) -> String? {
    relationship.source.flatMap { source.table(of: $0.destination)?.name }
  }

  private func candidates(
    of relationship: RelationshipMapping,
    from entity: EntityMapping
  ) -> [EntityMapping] {
    switch relationship.expression {
    case .none?, .function: return []
    case .sameSource(let name):
      return mapping.entities.filter {
        $0.source == entity.source && $0.name != entity.name && (name == nil || $0.name == name)
      }
    case nil, .source, .mapped:
      let table = table(of: relationship)
      let all = mapping.entities.filter { entity in
        entity.source.flatMap(source.table(of:))?.name == table
      }
      guard case .mapped(_, let name) = relationship.expression else { return all }
      return all.filter { $0.name == name }
    }
  }

  private func root(of entity: EntityMapping) -> String {
    mapping.destination.entity(named: entity.destination).map(mapping.destination.root)?.name ?? ""
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
      try forEach(root, read: values, body)
    }
  }

  func forEachLinks(_ body: (CarriedLinks) throws -> Void) throws {
    for root in plan.roots where hasLinks(root) {
      try forEach(root, read: { $1.links.isEmpty ? nil : try links(of: $0, in: $1) }, body)
    }
  }

  /// What of an object goes into a copy.
  func values(of object: ManagedObject, in copy: CopyPlan.EntityCopy) throws -> CarriedObject {
    let slots = try copy.sourceSlots(in: object.description)
    let values = try slots.enumerated().map { index, slot in
      if let slot { return try object.value(at: slot) }
      return try copy.attributes[index].value(of: object)
    }
    return CarriedObject(copy: copy, key: object.key, values: values)
  }

  /// What an object's relationships lead to, as far as a copy carries them.
  func links(of object: ManagedObject, in copy: CopyPlan.EntityCopy) throws -> CarriedLinks {
    let targets = try copy.links.map { try keys(of: $0.source, from: object) }
    return CarriedLinks(copy: copy, key: object.key, targets: targets)
  }

  /// Hands over every object below a root entity with each of its copies; the objects stay in the
  /// context for as long as they are kept.
  func forEachCopy(
    of root: String,
    _ body: (ManagedObject, CopyPlan.EntityCopy) throws -> Void
  ) throws {
    try context.forEachPage(of: root, size: fetchBatchSize) { keys in
      try context.objects(root, keys: keys, fetchBatchSize: fetchBatchSize).each { object in
        for copy in try copies(of: object) { try body(object, copy) }
      }
    }
  }

  /// The copies to be made of an object.
  private func copies(of object: ManagedObject) throws -> [CopyPlan.EntityCopy] {
    guard let copies = plan.entities[object.description.name] else { return [] }
    guard copies.contains(where: { !$0.conditions.isEmpty }) else { return copies }
    return try copies.filter { copy in
      try copy.conditions.allSatisfy { $0.holds(for: try object.value(of: $0.attribute)) }
    }
  }

  private func hasLinks(_ root: String) -> Bool {
    context.layout.table(of: root)?.entities
      .contains { plan.entities[$0]?.contains { !$0.links.isEmpty } ?? false } ?? false
  }

  private func keys(
    of relationship: Relationship?,
    from object: ManagedObject
  ) throws -> [Int64] {
    guard let relationship else { return [object.key] }
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
      var page: [Carried] = []
      try context.objects(root, keys: keys, fetchBatchSize: fetchBatchSize).each { object in
        for copy in try copies(of: object) {
          if let carried = try read(object, copy) { page.append(carried) }
        }
      }
      // What was reached through a page's objects goes with the page.
      context.reset()
      for carried in page { try body(carried) }
    }
  }
}

extension AttributeMapping {
  /// The value that an object of the source gives the destination's attribute.
  func value(of object: ManagedObject) throws -> Value {
    guard let value else { return try source.map { try object.value(of: $0.name) } ?? .null }
    return try value.value(now: MissingValuePolicy.date) { path in
      guard let last = path.last else { return .text("\(object.description.name)/p\(object.key)") }
      var place = object
      for name in path.dropLast() {
        guard let target = try place.target(of: name) else { return .null }
        place = target
      }
      return try place.value(of: last)
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
      skipped[carried.copy.name, default: []].insert(carried.key)
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
    skipped[links.copy.name]?.contains(links.key) ?? false
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
    case .undefined, .objectID, .composite: .null
    }
  }
}
