import DataModel
import PersistentStore

struct CopyPlan {
  /// The plan of copying the objects of one entity to another.
  ///
  /// This is a class, because every object and its links refer to it.
  final class EntityCopy {
    /// The copy's name in an export, which distinguishes several copies of one entity.
    let name: String
    let source: String
    let destination: String
    let conditions: [EntityMap.Condition]
    let attributes: [AttributeMapping]
    let links: [Link]
    /// The name of the key space, in which copies are found by the keys of their source objects.
    let space: String
    /// The replacement for NULL in each copied attribute.
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

    /// The slots (indexes among an object's values) of the attributes in source objects; `nil` if a
    /// migration map computes the value.
    ///
    /// They are cached, to avoid a lookup by name for every value.
    func sourceSlots(in description: EntityDescription) throws -> [Int?] {
      if let known = slots.source { return known }
      let found = try attributes.map { attribute in
        try attribute.value == nil
          ? attribute.source.map { try description.slot(of: $0.name) } : nil
      }
      slots.source = found
      return found
    }

    /// The slots of the attributes in copies.
    ///
    /// A copy may be an object of a sub-entity if an insertion was merged into that object.
    func destinationSlots(in description: EntityDescription) throws -> [Int] {
      let isOwn = description.name == destination
      if isOwn, let known = slots.destination { return known }
      let found = try attributes.map { try description.slot(of: $0.destination.name) }
      if isOwn { slots.destination = found }
      return found
    }
  }

  /// A relationship that is copied, seen from the side that is written.
  ///
  /// This is a class, because each object would copy the strings of a structure.
  final class Link {
    let name: String
    /// The relationship in the source; `nil` if the link connects copies of the same object.
    let source: Relationship?
    let destination: Relationship
    /// Whether both sides are ordered.
    ///
    /// In this case, adding objects on one side does not set the order of the other side.
    let isOrderedOnBothSides: Bool
    /// The key spaces to search for the targets' copies, in order of search.
    let spaces: [String]

    init(
      _ name: String,
      source: Relationship?,
      destination: Relationship,
      isOrderedOnBothSides: Bool,
      spaces: [String]
    ) {
      self.name = name
      self.source = source
      self.destination = destination
      self.isOrderedOnBothSides = isOrderedOnBothSides
      self.spaces = spaces
    }
  }

  /// The source's root entities, in the order in which their tables are read.
  let roots: [String]
  /// The copies to make for each source entity; more than one if objects are split.
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
      (mapping.map == nil ? relationship.source : nil)?.name ?? relationship.destination.name,
      source: isSame ? nil : relationship.source,
      destination: relationship.destination,
      isOrderedOnBothSides: mapping.destination.inverse(of: relationship.destination)
        .map { isOrdered($0, and: relationship.destination) } ?? false,
      spaces: found
    )
  }

  /// Whether a relationship is written from this side, which also sets the inverse.
  ///
  /// If both sides are ordered, both are written. If one side is ordered, that side is written.
  /// Otherwise, the side that stores the key is written or, if neither does, the side whose name
  /// sorts first.
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
  /// Whether the map or the models specify the relationship's targets.
  fileprivate var isFilled: Bool {
    switch expression {
    case nil, .source, .mapped: source != nil
    case .sameSource: true
    case .none?, .function: false
    }
  }
}

/// Finds the key spaces, each of which identifies copies by the keys of their source objects.
///
/// There is one space per source table, divided further if one object becomes several.
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

struct CarriedObject {
  let copy: CopyPlan.EntityCopy
  let key: Int64
  let values: [Value]
}

/// The source keys of the objects that an object's copied relationships refer to, in the order of
/// the relationships.
struct CarriedLinks {
  let copy: CopyPlan.EntityCopy
  let key: Int64
  let targets: [[Int64]]
}

/// Provides the objects to copy: first all objects, then all their relationships.
protocol ObjectSource {
  func forEachObject(_ body: (CarriedObject) throws -> Void) throws
  func forEachLinks(_ body: (CarriedLinks) throws -> Void) throws
}

protocol ObjectSink {
  func insert(_ object: CarriedObject) throws
  /// Is called once, after the last object and before the first links.
  func finishObjects() throws
  func relate(_ links: CarriedLinks) throws
  func finish() throws
}

/// Reads objects through a context, in batches and in the order of their keys.
struct ContextSource: ObjectSource {
  let context: ObjectContext
  let plan: CopyPlan
  let fetchBatchSize: Int
  /// The copies to make of an entity's objects, in the order of the entities' numbers.
  private let copies: [[CopyPlan.EntityCopy]]

  init(context: ObjectContext, plan: CopyPlan, fetchBatchSize: Int) {
    (self.context, self.plan, self.fetchBatchSize) = (context, plan, fetchBatchSize)
    copies = context.layout.numbers.entities.map { plan.entities[$0.name] ?? [] }
  }

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

  func values(of object: ManagedObject, in copy: CopyPlan.EntityCopy) throws -> CarriedObject {
    let slots = try copy.sourceSlots(in: object.description)
    let values = try slots.enumerated().map { index, slot in
      if let slot { return try object.value(at: slot) }
      return try copy.attributes[index].value(of: object)
    }
    return CarriedObject(copy: copy, key: object.key, values: values)
  }

  func links(of object: ManagedObject, in copy: CopyPlan.EntityCopy) throws -> CarriedLinks {
    let targets = try copy.links.map { try keys(of: $0.source, from: object) }
    return CarriedLinks(copy: copy, key: object.key, targets: targets)
  }

  /// Calls the body for every object of a root entity's hierarchy, once per copy to make.
  ///
  /// An object stays in the context for as long as the caller retains it.
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

  private func copies(of object: ManagedObject) throws -> [CopyPlan.EntityCopy] {
    let copies = self.copies[object.description.number - 1]
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

  /// Reads a page and releases its objects before passing on the values, because the receiver may
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
      // Also release the objects that were reached through the page's objects.
      context.reset()
      for carried in page { try body(carried) }
    }
  }
}

extension AttributeMapping {
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

/// Fills in missing values that the new model requires, or skips the objects that lack them.
///
/// Only the keys of skipped objects are remembered.
final class MissingValuePolicy {
  /// The date that replaces a missing date.
  ///
  /// It is constant, whereas an app would use the current date.
  static let date = 796_726_800.0

  private let rule: MigrationParameters.MissingValues
  private var skipped: [String: Set<Int64>] = [:]
  private(set) var substitutions = 0

  var skips: Int { skipped.values.reduce(0) { $0 + $1.count } }

  init(_ rule: MigrationParameters.MissingValues) {
    self.rule = rule
  }

  /// Returns the object to insert; `nil` if the object is skipped.
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

  func isSkipped(_ links: CarriedLinks) -> Bool {
    skipped[links.copy.name]?.contains(links.key) ?? false
  }

  /// The replacement for a missing value: an empty value, zero, a constant date or a UUID derived
  /// from the key.
  ///
  /// Apps often use such values after `??`.
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
