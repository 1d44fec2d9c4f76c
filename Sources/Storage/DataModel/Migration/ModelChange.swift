/// One difference between two versions of a model, in the words of the destination.
package enum ModelChange: Hashable, Sendable {
  case entityAdded(String)
  case entityRemoved(String)
  case entityRenamed(from: String, to: String)
  case superentityChanged(entity: String, from: String?, to: String?)

  case attributeAdded(entity: String, attribute: Attribute)
  case attributeRemoved(entity: String, attribute: String)
  case attributeRenamed(entity: String, from: String, to: String)
  case attributeMadeOptional(entity: String, attribute: String)
  case attributeMadeRequired(entity: String, attribute: String)
  case attributeRetyped(entity: String, attribute: String, from: AttributeType, to: AttributeType)
  case defaultChanged(entity: String, attribute: String)
  case externalStorageChanged(entity: String, attribute: String, isAllowed: Bool)

  case relationshipAdded(entity: String, relationship: String)
  case relationshipRemoved(entity: String, relationship: String)
  case relationshipRenamed(entity: String, from: String, to: String)
  case relationshipRetargeted(entity: String, relationship: String, from: String, to: String)
  case cardinalityChanged(entity: String, relationship: String, isToMany: Bool)
  case orderChanged(entity: String, relationship: String, isOrdered: Bool)
  case deleteRuleChanged(entity: String, relationship: String, from: DeleteRule, to: DeleteRule)

  case constraintAdded(entity: String, properties: [String])
  case constraintRemoved(entity: String, properties: [String])
  case indexAdded(entity: String, index: String)
  case indexRemoved(entity: String, index: String)

  /// What has no case of its own: validation, history, derivation, classes and the like.
  case detailChanged(entity: String, property: String?, detail: String)
}

extension ModelChange: CustomStringConvertible {
  package var description: String {
    switch self {
    case .entityAdded, .entityRemoved, .entityRenamed, .superentityChanged: entityWords
    case .attributeAdded, .attributeRemoved, .attributeRenamed, .attributeMadeOptional,
      .attributeMadeRequired, .attributeRetyped, .defaultChanged, .externalStorageChanged:
      attributeWords
    case .relationshipAdded, .relationshipRemoved, .relationshipRenamed, .relationshipRetargeted,
      .cardinalityChanged, .orderChanged, .deleteRuleChanged:
      relationshipWords
    case .constraintAdded(let entity, let properties):
      "\(entity): \(properties.joined(separator: " + ")) becomes unique"
    case .constraintRemoved(let entity, let properties):
      "\(entity): \(properties.joined(separator: " + ")) need not be unique any more"
    case .indexAdded(let entity, let index): "\(entity): index '\(index)' is new"
    case .indexRemoved(let entity, let index): "\(entity): index '\(index)' goes"
    case .detailChanged(let entity, let property, let detail):
      "\(entity): " + (property.map { "'\($0)' " } ?? "it ") + detail
    }
  }

  private var entityWords: String {
    switch self {
    case .entityAdded(let entity): "entity '\(entity)' is new"
    case .entityRemoved(let entity): "entity '\(entity)' goes, with its objects"
    case .entityRenamed(let former, let entity): "entity '\(former)' becomes '\(entity)'"
    case .superentityChanged(let entity, let former, let above):
      "\(entity): its super-entity is \(above ?? "none"), not \(former ?? "none")"
    default: ""
    }
  }

  private var attributeWords: String {
    switch self {
    case .attributeAdded(let entity, let attribute):
      "\(entity): \(attribute.isOptional ? "optional" : "required") attribute "
        + "'\(attribute.name)' is new, \(attribute.type.name)"
        + (attribute.defaultValue == .null ? "" : ", with a default")
    case .attributeRemoved(let entity, let name): "\(entity): attribute '\(name)' goes"
    case .attributeRenamed(let entity, let former, let name):
      "\(entity): attribute '\(former)' becomes '\(name)'"
    case .attributeMadeOptional(let entity, let name): "\(entity): '\(name)' becomes optional"
    case .attributeMadeRequired(let entity, let name): "\(entity): '\(name)' becomes required"
    case .attributeRetyped(let entity, let name, let former, let type):
      "\(entity): '\(name)' is \(type.name), not \(former.name)"
    case .defaultChanged(let entity, let name):
      "\(entity): '\(name)' has another default for new objects"
    case .externalStorageChanged(let entity, let name, let isAllowed):
      "\(entity): '\(name)' \(isAllowed ? "may be" : "is no longer") kept in external storage"
    default: ""
    }
  }

  private var relationshipWords: String {
    switch self {
    case .relationshipAdded(let entity, let name): "\(entity): relationship '\(name)' is new"
    case .relationshipRemoved(let entity, let name): "\(entity): relationship '\(name)' goes"
    case .relationshipRenamed(let entity, let former, let name):
      "\(entity): relationship '\(former)' becomes '\(name)'"
    case .relationshipRetargeted(let entity, let name, let former, let target):
      "\(entity): '\(name)' leads to \(target), not to \(former)"
    case .cardinalityChanged(let entity, let name, let isToMany):
      "\(entity): '\(name)' becomes \(isToMany ? "to-many" : "to-one")"
    case .orderChanged(let entity, let name, let isOrdered):
      "\(entity): '\(name)' \(isOrdered ? "becomes ordered" : "loses its order")"
    case .deleteRuleChanged(let entity, let name, let former, let rule):
      "\(entity): the delete rule of '\(name)' is \(rule.name), not \(former.name)"
    default: ""
    }
  }
}

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

/// The differences that have no case of their own among the changes of a model.
enum DetailChanges {
  static func of(_ entity: Entity, _ former: Entity) -> [ModelChange] {
    var details: [String] = []
    if entity.isAbstract != former.isAbstract {
      details.append(entity.isAbstract ? "becomes abstract" : "is no longer abstract")
    }
    // An entity without a class of its own, or named like it, says nothing by changing it.
    let isNamed = entity.className != entity.name || former.className != former.name
    let isOwn = ![entity.className, former.className].contains(Entity.genericClassName)
    if entity.className != former.className, isNamed, isOwn {
      details.append("is of class \(entity.className), not \(former.className)")
    }
    if entity.versionHashModifier != former.versionHashModifier {
      details.append("has another hash modifier")
    }
    return details.map { .detailChanged(entity: entity.name, property: nil, detail: $0) }
  }

  static func of(_ attribute: Attribute, _ former: Attribute, in entity: String) -> [ModelChange] {
    var details: [String] = []
    if attribute.isTransient != former.isTransient {
      details.append(
        attribute.isTransient
          ? "becomes transient: its column goes" : "is no longer transient: it gets a column"
      )
    }
    if attribute.minimum != former.minimum || attribute.maximum != former.maximum
      || attribute.pattern != former.pattern
    {
      details.append("has other bounds")
    }
    if attribute.preservesValueOnDeletion != former.preservesValueOnDeletion {
      let words = attribute.preservesValueOnDeletion ? "is kept" : "is no longer kept"
      details.append("\(words) in the tombstones of deleted objects")
    }
    let others: [(isChanged: Bool, what: String)] = [
      (attribute.derivation != former.derivation, "derivation"),
      (attribute.transformerName != former.transformerName, "value transformer"),
      (attribute.valueClassName != former.valueClassName, "class of values"),
      (attribute.elements != former.elements, "composite elements"),
      (attribute.isIndexedBySpotlight != former.isIndexedBySpotlight, "mark for Spotlight"),
      (attribute.versionHashModifier != former.versionHashModifier, "hash modifier"),
    ]
    details += others.filter(\.isChanged).map { "has another \($0.what)" }
    return details.map {
      .detailChanged(entity: entity, property: attribute.name, detail: $0)
    }
  }

  static func of(
    _ relationship: Relationship,
    _ former: Relationship,
    in entity: String
  ) -> [ModelChange] {
    var details: [String] = []
    if relationship.isOptional != former.isOptional {
      details.append(relationship.isOptional ? "becomes optional" : "becomes required")
    }
    if relationship.isTransient != former.isTransient {
      details.append(relationship.isTransient ? "becomes transient" : "is no longer transient")
    }
    if relationship.inverse != former.inverse {
      let name = relationship.inverse.map { "'\($0)'" } ?? "none"
      details.append("has the inverse \(name), not \(former.inverse.map { "'\($0)'" } ?? "none")")
    }
    let isCounted = relationship.isToMany && former.isToMany
    if relationship.minimumCount != former.minimumCount
      || (isCounted && relationship.maximumCount != former.maximumCount)
    {
      details.append("may lead to another number of objects")
    }
    if relationship.versionHashModifier != former.versionHashModifier {
      details.append("has another hash modifier")
    }
    return details.map {
      .detailChanged(entity: entity, property: relationship.name, detail: $0)
    }
  }
}
