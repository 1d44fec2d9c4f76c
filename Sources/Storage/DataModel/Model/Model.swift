import Basics

/// All entities of one schema version (`NSManagedObjectModel`).
///
/// A value that nothing has checked yet; ``Model/problems()`` lists what is wrong with it. The same
/// model is the same value wherever it was read: what has no order in a model stands in name order.
package struct Model: Hashable, Sendable {
  /// The entities in name order, case-insensitive first: the order of their numbers in a store.
  ///
  /// The attributes and the relationships of each are in the byte order of their names.
  package private(set) var entities: [Entity]
  /// The model's own version identifiers; `[""]` where none was set.
  package var versionIdentifiers: [String]
  /// The names of the entities in each named configuration.
  package var configurations: [String: [String]]

  package init(
    entities: [Entity],
    versionIdentifiers: [String] = [""],
    configurations: [String: [String]] = [:]
  ) {
    self.entities = entities.map(\.canonical).sorted { Model.precedes($0.name, $1.name) }
    self.versionIdentifiers = versionIdentifiers.sorted()
    self.configurations = configurations.mapValues { $0.sorted(by: Model.precedes) }
  }

  /// Whether one entity name sorts before another: without regard to case, then by bytes
  /// (coredata-format.md, section 3).
  package static func precedes(_ first: String, _ second: String) -> Bool {
    let (left, right) = (first.lowercased(), second.lowercased())
    return left == right ? first.utf8.lexicographicallyPrecedes(second.utf8) : left < right
  }

  /// The entity of that name.
  package func entity(named name: String) -> Entity? {
    entities.first { $0.name == name }
  }

  /// The direct sub-entities, in the order of their numbers.
  package func subentities(of name: String) -> [Entity] {
    entities.filter { $0.superentity == name }
  }

  /// The entity and all its super-entities, the root first.
  ///
  /// A chain that closes on itself is cut where it repeats.
  package func lineage(of entity: Entity) -> [Entity] {
    var chain = [entity]
    var seen: Set<String> = [entity.name]
    while let name = chain[0].superentity, seen.insert(name).inserted,
      let above = self.entity(named: name)
    {
      chain.insert(above, at: 0)
    }
    return chain
  }

  /// The root entity, whose table holds the objects of this one.
  package func root(of entity: Entity) -> Entity {
    lineage(of: entity)[0]
  }

  /// The entity and everything below it, depth first in the order of their numbers.
  package func family(of entity: Entity) -> [Entity] {
    var result: [Entity] = []
    var seen: Set<String> = []
    func visit(_ entity: Entity) {
      guard seen.insert(entity.name).inserted else { return }
      result.append(entity)
      for below in subentities(of: entity.name) { visit(below) }
    }
    visit(entity)
    return result
  }

  /// The attributes of an entity, inherited ones first.
  package func attributes(of entity: Entity) -> [Attribute] {
    lineage(of: entity).flatMap(\.attributes)
  }

  /// The relationships of an entity, inherited ones first.
  package func relationships(of entity: Entity) -> [Relationship] {
    lineage(of: entity).flatMap(\.relationships)
  }

  /// The entity of a lineage that declares a property.
  package func declarer(of property: String, in entity: Entity) -> Entity? {
    lineage(of: entity).first {
      $0.attribute(named: property) != nil || $0.relationship(named: property) != nil
    }
  }

  /// The inverse of a relationship, where the model names one that exists.
  package func inverse(of relationship: Relationship) -> Relationship? {
    guard let name = relationship.inverse, let destination = entity(named: relationship.destination)
    else { return nil }
    return relationships(of: destination).first { $0.name == name }
  }
}

extension Entity {
  /// The entity with its properties in name order and its facts in one form.
  fileprivate var canonical: Entity {
    var entity = self
    if renamingIdentifier == name { entity.renamingIdentifier = nil }
    entity.attributes = attributes.map(\.canonical).sorted(byBytesOf: \.name)
    entity.relationships = relationships.map(\.canonical).sorted(byBytesOf: \.name)
    return entity
  }
}

extension Attribute {
  /// The attribute with each value in the one form that its type has: whole numbers as reals where
  /// the type is one of real numbers, whole decimals as integers, as SQLite keeps them.
  fileprivate var canonical: Attribute {
    var attribute = self
    if renamingIdentifier == name { attribute.renamingIdentifier = nil }
    attribute.elements = elements.map(\.canonical)
    let form: (Value) -> Value
    switch type {
    case .double, .float, .date: form = { $0.asReal }
    case .decimal: form = { $0.asInteger }
    default: return attribute
    }
    attribute.defaultValue = form(defaultValue)
    attribute.minimum = form(minimum)
    attribute.maximum = form(maximum)
    return attribute
  }
}

extension Relationship {
  fileprivate var canonical: Relationship {
    var relationship = self
    if renamingIdentifier == name { relationship.renamingIdentifier = nil }
    return relationship
  }
}

extension Value {
  fileprivate var asReal: Value {
    guard case .integer(let value) = self else { return self }
    return .real(Double(value))
  }

  fileprivate var asInteger: Value {
    guard case .real(let value) = self, let whole = Int64(exactly: value) else { return self }
    return .integer(whole)
  }
}

/// One numbered version of a model (`VersionedSchema`).
package struct VersionedSchema: Hashable, Sendable {
  /// The version's short name in a family of versions, such as `v2`.
  package var name: String
  package var model: Model

  package init(name: String, model: Model) {
    self.name = name
    self.model = model
  }
}

/// All versions of one model, and what their source says beside the models themselves.
package struct ModelFamily: Hashable, Sendable {
  /// In the order of their names, numbers by value.
  package var versions: [VersionedSchema]
  /// The name of the version that an app opens its stores with, where the source says so.
  package var current: String?
  /// By version name, the 32-byte version hash of each entity; only compiled models have them.
  package var versionHashes: [String: [String: [UInt8]]]
  /// By version name, the checksum of the version's hashes, base64.
  package var checksums: [String: String]
  /// Whether a version is marked in the model editor as used with CloudKit.
  package var isUsedWithCloudKit = false
  /// By name, what in the source is not understood and therefore not kept.
  package var unknown: [String]

  package init(
    versions: [VersionedSchema],
    current: String? = nil,
    versionHashes: [String: [String: [UInt8]]] = [:],
    checksums: [String: String] = [:],
    unknown: [String] = []
  ) {
    self.versions = versions
    self.current = current
    self.versionHashes = versionHashes
    self.checksums = checksums
    self.unknown = unknown
  }

  /// The version of that name.
  package func version(named name: String) -> VersionedSchema? {
    versions.first { $0.name == name }
  }
}
