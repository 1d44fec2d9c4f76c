/// Pairs the entities and properties of two models.
struct MappingInference {
  let source: Model
  let destination: Model
  let entities: [EntityMapping]

  init(source: Model, destination: Model) {
    self.source = source
    self.destination = destination
    let formers = Dictionary(
      source.entities.map { ($0.identifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    entities = destination.entities.map { entity in
      EntityMapping(from: formers[entity.identifier], in: source, to: entity, in: destination)
    }
  }

  var removedEntities: [String] {
    let kept = Set(entities.compactMap(\.source))
    return source.entities.map(\.name).filter { !kept.contains($0) }
  }

  /// The entity's name in the destination; `nil` where it is dropped.
  func successor(of entity: String) -> String? {
    entities.first { $0.source == entity }?.destination
  }
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

  /// The former names of properties by their present ones.
  private static func names(
    _ attributes: [AttributeMapping],
    _ relationships: [RelationshipMapping]
  ) -> [String: String] {
    let pairs =
      attributes.map { ($0.destination.name, $0.source?.name) }
      + relationships.map { ($0.destination.name, $0.source?.name) }
    return Dictionary(
      pairs.compactMap { present, former in former.map { (present, $0) } },
      uniquingKeysWith: { first, _ in first }
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
  /// What a migration knows the entity by.
  var identifier: String { renamingIdentifier ?? name }
}

extension Attribute {
  /// What a migration knows the attribute by.
  var identifier: String { renamingIdentifier ?? name }
}

extension Relationship {
  /// What a migration knows the relationship by.
  var identifier: String { renamingIdentifier ?? name }
}
