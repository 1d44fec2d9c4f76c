import Basics

/// The mapping from one model to another, inferred as in a lightweight migration (`NSMappingModel`)
/// or given by a migration map.
///
/// Entities and properties are matched by renaming identifier, or by name if they have none.
package struct MappingModel: Hashable, Sendable {
  package let source: Model
  package let destination: Model
  /// The entity mappings, in the order of the destination's entities; at least one per entity.
  package let entities: [EntityMapping]
  /// The source entities whose objects the migration drops.
  package let removedEntities: [String]
  /// All differences between the models, entity by entity.
  package private(set) var changes: [ModelChange] = []
  /// The changes that a lightweight migration cannot make or that a migration map leaves open.
  package private(set) var obstacles: [MigrationObstacle] = []
  /// The relationships and positions that existing objects lack after the migration.
  package private(set) var gaps: [MigrationGap] = []
  /// The migration map that determines the mappings; `nil` if they are inferred.
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

  /// Creates the mappings that a map describes, and infers the others.
  ///
  /// - Throws: ``MigrationMapError`` with all names in the map that do not exist in the models.
  package init(
    from source: Model,
    to destination: Model,
    by map: MigrationMap
  ) throws(MigrationMapError) {
    let resolution = MapResolution(map: map, source: source, destination: destination)
    let problems = resolution.problems.map(\.message)
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

  /// Whether the migration works without a custom stage that runs the app's code.
  package var isLightweight: Bool { map == nil && obstacles.isEmpty }

  /// All mappings of a source entity's objects; several if the map splits it.
  package func mappings(from source: String) -> [EntityMapping] {
    entities.filter { $0.source == source }
  }

  /// All mappings to a destination entity; several if the map merges entities.
  package func mappings(to destination: String) -> [EntityMapping] {
    entities.filter { $0.destination == destination }
  }

  /// The first mapping to a destination entity.
  package func mapping(to destination: String) -> EntityMapping? {
    entities.first { $0.destination == destination }
  }

  /// The first mapping of a source entity's objects; `nil` if they are dropped.
  package func mapping(from source: String) -> EntityMapping? {
    entities.first { $0.source == source }
  }

  func successor(of entity: String) -> String? { mapping(from: entity)?.destination }

  /// Whether a mapping makes its entity abstract, so that objects of the source entity itself lose
  /// their entity.
  package func makesAbstract(_ mapping: EntityMapping) -> Bool {
    guard let former = mapping.source.flatMap(source.entity(named:)) else { return false }
    return !former.isAbstract && destination.entity(named: mapping.destination)?.isAbstract == true
  }

  /// The unique constraints that are new for existing objects, each with its entity.
  package var addedConstraints: [(entity: String, properties: [String])] {
    entities.flatMap { mapping in
      mapping.source == nil
        ? [] : mapping.addedConstraints.map { (mapping.destination, $0) }
    }
  }
}

/// The mapping of one entity's objects (`NSEntityMapping`).
package struct EntityMapping: Hashable, Sendable {
  /// The entity from which the objects come; `nil` for a new entity, which has no objects yet.
  package let source: String?
  package let destination: String
  /// One mapping per attribute of the destination, inherited attributes first.
  package let attributes: [AttributeMapping]
  /// One mapping per relationship of the destination, inherited relationships first.
  package let relationships: [RelationshipMapping]
  /// The destination's unique constraints that the source lacks.
  package let addedConstraints: [[String]]
  /// The mapping's name in a map; `nil` if the mapping is inferred.
  package var name: String?
  /// The conditions for mapping an object, all of which must hold.
  package var conditions: [EntityMap.Condition] = []

  func attributes(declaredBy entity: Entity) -> [AttributeMapping] {
    attributes.filter { entity.attribute(named: $0.destination.name) != nil }
  }

  func relationships(declaredBy entity: Entity) -> [RelationshipMapping] {
    relationships.filter { entity.relationship(named: $0.destination.name) != nil }
  }
}

/// The source of an attribute's values (`NSPropertyMapping`).
package struct AttributeMapping: Hashable, Sendable {
  /// The source attribute; `nil` for a new attribute, whose values are the destination's default.
  package let source: Attribute?
  package let destination: Attribute
  /// The expression for the values; `nil` if they are copied unchanged.
  package var value: ValueExpression?

  /// Whether an optional attribute becomes required, so that the default must replace missing
  /// values.
  package var isMadeRequired: Bool {
    guard let source else { return false }
    return source.isOptional && !destination.isOptional
  }
}

/// The source of a relationship's objects.
package struct RelationshipMapping: Hashable, Sendable {
  /// The source relationship; `nil` for a new relationship, which is still empty.
  package let source: Relationship?
  package let destination: Relationship
  /// The expression for the objects; `nil` if they are kept.
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
  /// The name by which a migration finds the entity in an older model.
  package var identifier: String { renamingIdentifier ?? name }
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
