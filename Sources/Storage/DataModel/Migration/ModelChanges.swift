/// Lists what differs between the two models of a mapping.
struct ModelChanges {
  private let inference: MappingInference

  init(_ inference: MappingInference) {
    self.inference = inference
  }

  /// Entity by entity of the destination, then what the source alone has.
  var all: [ModelChange] {
    inference.entities.flatMap(changes) + inference.removedEntities.map { .entityRemoved($0) }
  }

  private func changes(of mapping: EntityMapping) -> [ModelChange] {
    guard let entity = inference.destination.entity(named: mapping.destination) else { return [] }
    guard let former = mapping.source.flatMap(inference.source.entity(named:)) else {
      return [.entityAdded(entity.name)]
    }
    var changes = DetailChanges.of(entity, former)
    if former.name != entity.name {
      changes.append(.entityRenamed(from: former.name, to: entity.name))
    }
    if former.superentity.flatMap(inference.successor) != entity.superentity {
      changes.append(
        .superentityChanged(
          entity: entity.name,
          from: former.superentity,
          to: entity.superentity
        )
      )
    }
    // An inherited property is told once, by the entity that declares it.
    let attributes = mapping.attributes.filter {
      entity.attribute(named: $0.destination.name) != nil
    }
    let relationships = mapping.relationships.filter {
      entity.relationship(named: $0.destination.name) != nil
    }
    changes += attributes.flatMap { self.changes(of: $0, in: entity.name) }
    changes += removedProperties(of: former, mapping)
    changes += relationships.flatMap { self.changes(of: $0, in: entity.name) }
    changes += constraintChanges(of: entity, from: former, mapping)
    return changes + indexChanges(of: entity, from: former)
  }

  private func removedProperties(of former: Entity, _ mapping: EntityMapping) -> [ModelChange] {
    let attributes = Set(mapping.attributes.compactMap { $0.source?.name })
    let relationships = Set(mapping.relationships.compactMap { $0.source?.name })
    return former.attributes.filter { !attributes.contains($0.name) }
      .map { .attributeRemoved(entity: mapping.destination, attribute: $0.name) }
      + former.relationships.filter { !relationships.contains($0.name) }
      .map { .relationshipRemoved(entity: mapping.destination, relationship: $0.name) }
  }

  private func changes(of mapping: AttributeMapping, in entity: String) -> [ModelChange] {
    let attribute = mapping.destination
    guard let former = mapping.source else {
      return [.attributeAdded(entity: entity, attribute: attribute)]
    }
    let name = attribute.name
    var changes: [ModelChange] = []
    if former.name != name {
      changes.append(.attributeRenamed(entity: entity, from: former.name, to: name))
    }
    if former.type != attribute.type {
      changes.append(
        .attributeRetyped(
          entity: entity,
          attribute: name,
          from: former.type,
          to: attribute.type
        )
      )
    }
    if former.isOptional != attribute.isOptional {
      changes.append(
        attribute.isOptional
          ? .attributeMadeOptional(entity: entity, attribute: name)
          : .attributeMadeRequired(entity: entity, attribute: name)
      )
    }
    if former.defaultValue != attribute.defaultValue {
      changes.append(.defaultChanged(entity: entity, attribute: name))
    }
    if former.allowsExternalStorage != attribute.allowsExternalStorage {
      changes.append(
        .externalStorageChanged(
          entity: entity,
          attribute: name,
          isAllowed: attribute.allowsExternalStorage
        )
      )
    }
    return changes + DetailChanges.of(attribute, former, in: entity)
  }

  private func changes(of mapping: RelationshipMapping, in entity: String) -> [ModelChange] {
    let relationship = mapping.destination
    guard let former = mapping.source else {
      return [.relationshipAdded(entity: entity, relationship: relationship.name)]
    }
    let name = relationship.name
    var changes: [ModelChange] = []
    if former.name != name {
      changes.append(.relationshipRenamed(entity: entity, from: former.name, to: name))
    }
    if inference.successor(of: former.destination) != relationship.destination {
      changes.append(
        .relationshipRetargeted(
          entity: entity,
          relationship: name,
          from: former.destination,
          to: relationship.destination
        )
      )
    }
    if former.isToMany != relationship.isToMany {
      changes.append(
        .cardinalityChanged(entity: entity, relationship: name, isToMany: relationship.isToMany)
      )
    }
    if former.isOrdered != relationship.isOrdered {
      changes.append(
        .orderChanged(entity: entity, relationship: name, isOrdered: relationship.isOrdered)
      )
    }
    if former.deleteRule != relationship.deleteRule {
      changes.append(
        .deleteRuleChanged(
          entity: entity,
          relationship: name,
          from: former.deleteRule,
          to: relationship.deleteRule
        )
      )
    }
    return changes + DetailChanges.of(relationship, former, in: entity)
  }

  private func constraintChanges(
    of entity: Entity,
    from former: Entity,
    _ mapping: EntityMapping
  ) -> [ModelChange] {
    let added = mapping.addedConstraints.map {
      ModelChange.constraintAdded(entity: entity.name, properties: $0)
    }
    let back = EntityMapping(
      from: entity,
      in: inference.destination,
      to: former,
      in: inference.source
    )
    return added
      + back.addedConstraints.map { .constraintRemoved(entity: entity.name, properties: $0) }
  }

  private func indexChanges(of entity: Entity, from former: Entity) -> [ModelChange] {
    let names = Set(entity.fetchIndexes.map(\.name))
    let formerNames = Set(former.fetchIndexes.map(\.name))
    return entity.fetchIndexes.filter { !former.fetchIndexes.contains($0) }.map { index in
      formerNames.contains(index.name)
        ? .detailChanged(
          entity: entity.name,
          property: nil,
          detail: "has another index '\(index.name)'"
        ) : .indexAdded(entity: entity.name, index: index.name)
    }
      + former.fetchIndexes.filter { !names.contains($0.name) }
      .map { .indexRemoved(entity: entity.name, index: $0.name) }
  }
}
