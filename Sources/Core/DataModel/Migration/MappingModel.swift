import Basics

/// What brings the objects of one model into another, inferred from the two as a lightweight
/// migration infers it (`NSMappingModel`).
///
/// Two entities or two properties are the same where their renaming identifiers are, and what has
/// none is identified by its name.
package struct MappingModel: Hashable, Sendable {
  package let source: Model
  package let destination: Model
  /// One for each entity of the destination, in its order.
  package let entities: [EntityMapping]
  /// Entities of the source whose objects the migration drops.
  package let removedEntities: [String]
  /// Everything that differs, entity by entity.
  package private(set) var changes: [ModelChange] = []
  /// What a lightweight migration cannot do, or what a map leaves open; empty where all is done.
  package private(set) var obstacles: [MigrationObstacle] = []
  /// What the migration leaves empty; no obstacle to it.
  package private(set) var gaps: [MigrationGap] = []
  /// What the mappings were made by; `nil` where they were inferred.
  package let map: MigrationMap?

  package init(from source: Model, to destination: Model) {
    self.source = source
    self.destination = destination
    let formers = Dictionary(keepingFirst: source.entities.map { ($0.identifier, $0) })
    entities = destination.entities.map { entity in
      EntityMapping(from: formers[entity.identifier], in: source, to: entity, in: destination)
    }
    let kept = Set(entities.compactMap(\.source))
    removedEntities = source.entities.map(\.name).filter { !kept.contains($0) }
    map = nil
    changes = entities.flatMap { changes(of: $0) } + removedEntities.map { .entityRemoved($0) }
    obstacles = (ambiguities + mergedHierarchies + entities.flatMap { obstacles(of: $0) }).once
    gaps = entities.flatMap { gaps(of: $0) }.once
  }

  /// Makes of each object what a map says, and infers what the map leaves to it.
  ///
  /// - Throws: ``MigrationMapError`` with everything in the map that the models do not have.
  package init(
    from source: Model,
    to destination: Model,
    by map: MigrationMap
  ) throws(MigrationMapError) {
    let resolution = MapResolution(map: map, source: source, destination: destination)
    let problems = resolution.problems
    guard problems.isEmpty else { throw MigrationMapError(problems: problems) }
    self.source = source
    self.destination = destination
    self.map = map
    entities = resolution.entities
    let kept = Set(entities.compactMap(\.source))
    removedEntities = source.entities.map(\.name).filter { !kept.contains($0) }
    changes = entities.flatMap { changes(of: $0) } + removedEntities.map { .entityRemoved($0) }
    obstacles = entities.flatMap { obstacles(of: $0) }.once
  }

  /// Whether no stage of the app's own code is needed.
  package var isLightweight: Bool { map == nil && obstacles.isEmpty }

  /// All mappings that an entity's objects take: several where they are split.
  package func mappings(from source: String) -> [EntityMapping] {
    entities.filter { $0.source == source }
  }

  /// All mappings that lead to an entity: several where objects are brought together.
  package func mappings(to destination: String) -> [EntityMapping] {
    entities.filter { $0.destination == destination }
  }

  /// The mapping that leads to an entity of the destination.
  package func mapping(to destination: String) -> EntityMapping? {
    entities.first { $0.destination == destination }
  }

  /// The mapping that an entity's objects take; `nil` where they are dropped.
  package func mapping(from source: String) -> EntityMapping? {
    entities.first { $0.source == source }
  }

  /// The name that an entity of the source has in the destination; `nil` where it is dropped.
  func successor(of entity: String) -> String? { mapping(from: entity)?.destination }

  /// Whether objects of an entity itself, not of its sub-entities, have no entity any more.
  package func makesAbstract(_ mapping: EntityMapping) -> Bool {
    guard let former = mapping.source.flatMap(source.entity(named:)) else { return false }
    return !former.isAbstract && destination.entity(named: mapping.destination)?.isAbstract == true
  }

  /// The unique constraints that the source's objects were never held to, with their entities.
  package var addedConstraints: [(entity: String, properties: [String])] {
    entities.flatMap { mapping in
      mapping.source == nil
        ? [] : mapping.addedConstraints.map { (mapping.destination, $0) }
    }
  }
}

/// What becomes of the objects of one entity (`NSEntityMapping`).
package struct EntityMapping: Hashable, Sendable {
  /// The entity that the objects come from; `nil` for a new entity, which has none.
  package let source: String?
  package let destination: String
  /// One for each attribute of the destination, inherited ones first.
  package let attributes: [AttributeMapping]
  /// One for each relationship of the destination, inherited ones first.
  package let relationships: [RelationshipMapping]
  /// Constraints of the destination that the source has not, in the destination's names.
  package let addedConstraints: [[String]]
  /// The mapping's name in a map; `nil` where it was inferred.
  package var name: String?
  /// All of them must hold for an object to be mapped.
  package var conditions: [EntityMap.Condition] = []

  func attributes(declaredBy entity: Entity) -> [AttributeMapping] {
    attributes.filter { entity.attribute(named: $0.destination.name) != nil }
  }

  func relationships(declaredBy entity: Entity) -> [RelationshipMapping] {
    relationships.filter { entity.relationship(named: $0.destination.name) != nil }
  }
}

/// Where an attribute's values come from (`NSPropertyMapping`).
package struct AttributeMapping: Hashable, Sendable {
  /// `nil` for a new attribute, whose values are the destination's default.
  package let source: Attribute?
  package let destination: Attribute
  /// What the values are made of where that is more than the source's values as they are.
  package var value: ValueExpression?

  /// Whether missing values have to become the default.
  package var isMadeRequired: Bool {
    guard let source else { return false }
    return source.isOptional && !destination.isOptional
  }
}

/// Where a relationship's objects come from.
package struct RelationshipMapping: Hashable, Sendable {
  /// `nil` for a new relationship, which leads nowhere yet.
  package let source: Relationship?
  package let destination: Relationship
  /// Where the objects come from, if not from the source's relationship alone.
  package var expression: RelationshipExpression?
}

extension EntityMapping {
  init(from former: Entity?, in source: Model, to entity: Entity, in destination: Model) {
    let oldAttributes = former.map(source.attributes(of:)) ?? []
    let oldRelationships = former.map(source.relationships(of:)) ?? []
    let attributes = destination.attributes(of: entity).map { attribute in
      AttributeMapping(
        source: oldAttributes.first { $0.identifier == attribute.identifier },
        destination: attribute
      )
    }
    let relationships = destination.relationships(of: entity).map { relationship in
      RelationshipMapping(
        source: oldRelationships.first { $0.identifier == relationship.identifier },
        destination: relationship
      )
    }
    self.init(
      source: former?.name,
      destination: entity.name,
      attributes: attributes,
      relationships: relationships,
      addedConstraints: Self.addedConstraints(
        of: entity,
        from: former,
        renamed: Self.names(attributes, relationships)
      )
    )
  }

  private static func names(
    _ attributes: [AttributeMapping],
    _ relationships: [RelationshipMapping]
  ) -> [String: String] {
    let pairs =
      attributes.map { ($0.destination.name, $0.source?.name) }
      + relationships.map { ($0.destination.name, $0.source?.name) }
    return Dictionary(
      keepingFirst: pairs.compactMap { present, former in former.map { (present, $0) } }
    )
  }

  private static func addedConstraints(
    of entity: Entity,
    from former: Entity?,
    renamed: [String: String]
  ) -> [[String]] {
    let known = Set((former?.uniquenessConstraints ?? []).map(Set.init))
    return entity.uniquenessConstraints.filter { constraint in
      !known.contains(Set(constraint.map { renamed[$0] ?? "" }))
    }
  }
}

extension Entity {
  var identifier: String { renamingIdentifier ?? name }
}

extension Attribute {
  var identifier: String { renamingIdentifier ?? name }
}

extension Relationship {
  var identifier: String { renamingIdentifier ?? name }
}

extension Array where Element: Hashable {
  fileprivate var once: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
