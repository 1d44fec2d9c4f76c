/// One difference between two versions of a model, with the names from the destination.
package enum ModelChange: Hashable, Sendable, CustomStringConvertible {
  case entityAdded(String)
  case entityRemoved(String)
  case entityRenamed(from: String, to: String)
  case superentityChanged(entity: String, from: String?, to: String?)
  case attributeAdded(entity: String, attribute: Attribute)
  case attributeRemoved(entity: String, attribute: String)
  case attributeRenamed(entity: String, from: String, to: String)
  case attributeRetyped(entity: String, attribute: String, from: AttributeType, to: AttributeType)
  case relationshipAdded(entity: String, relationship: String)
  case relationshipRemoved(entity: String, relationship: String)
  case relationshipRenamed(entity: String, from: String, to: String)
  case relationshipRetargeted(entity: String, relationship: String, from: String, to: String)
  case cardinalityChanged(entity: String, relationship: String, isToMany: Bool)
  case indexAdded(entity: String, index: String)
  case other(String)

  package var description: String {
    switch self {
    case .entityAdded(let entity): "entity '\(entity)' is new"
    case .entityRemoved(let entity): "entity '\(entity)' goes, with its objects"
    case .entityRenamed(let former, let entity): "entity '\(former)' becomes '\(entity)'"
    case .superentityChanged(let entity, let former, let above):
      "\(entity): its super-entity is \(above ?? "none"), not \(former ?? "none")"
    case .attributeAdded(let entity, let attribute):
      "\(entity): \(attribute.isOptional ? "optional" : "required") attribute "
        + "'\(attribute.name)' is new, \(attribute.type.name)"
        + (attribute.defaultValue != .null
          ? ", with a default"
          : attribute.computedDefault == nil ? "" : ", with a default computed in code")
    case .attributeRemoved(let entity, let name): "\(entity): attribute '\(name)' goes"
    case .attributeRenamed(let entity, let former, let name):
      "\(entity): attribute '\(former)' becomes '\(name)'"
    case .attributeRetyped(let entity, let name, let former, let type):
      "\(entity): '\(name)' is \(type.name), not \(former.name)"
    case .relationshipAdded(let entity, let name): "\(entity): relationship '\(name)' is new"
    case .relationshipRemoved(let entity, let name): "\(entity): relationship '\(name)' goes"
    case .relationshipRenamed(let entity, let former, let name):
      "\(entity): relationship '\(former)' becomes '\(name)'"
    case .relationshipRetargeted(let entity, let name, let former, let target):
      "\(entity): '\(name)' leads to \(target), not to \(former)"
    case .cardinalityChanged(let entity, let name, let isToMany):
      "\(entity): '\(name)' becomes \(isToMany ? "to-many" : "to-one")"
    case .indexAdded(let entity, let index): "\(entity): index '\(index)' is new"
    case .other(let sentence): sentence
    }
  }
}

extension MappingModel {
  func changes(of mapping: EntityMapping) -> [ModelChange] {
    guard let entity = destination.entity(named: mapping.destination) else { return [] }
    guard let former = mapping.source.flatMap(source.entity(named:)) else {
      return [.entityAdded(entity.name)]
    }
    let (above, formerAbove) = (entity.superentity, former.superentity)
    let own: [ModelChange?] = [
      former.name == entity.name ? nil : .entityRenamed(from: former.name, to: entity.name),
      formerAbove.flatMap(successor) == above
        ? nil : .superentityChanged(entity: entity.name, from: formerAbove, to: above),
    ]
    return details(of: entity, former) + own.compactMap(\.self)
      + mapping.attributes(declaredBy: entity).flatMap { changes(of: $0, in: entity.name) }
      + removedProperties(of: former, mapping)
      + mapping.relationships(declaredBy: entity).flatMap { changes(of: $0, in: entity.name) }
      + constraintChanges(of: entity, from: former, mapping)
      + indexChanges(of: entity, from: former)
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
    let new = mapping.destination
    guard let old = mapping.source else { return [.attributeAdded(entity: entity, attribute: new)] }
    let name = new.name
    let changes: [ModelChange?] = [
      old.name == name ? nil : .attributeRenamed(entity: entity, from: old.name, to: name),
      old.type == new.type
        ? nil : .attributeRetyped(entity: entity, attribute: name, from: old.type, to: new.type),
    ]
    return changes.compactMap(\.self) + details(of: new, old, in: entity)
  }

  private func changes(of mapping: RelationshipMapping, in entity: String) -> [ModelChange] {
    let new = mapping.destination
    let name = new.name
    guard let old = mapping.source else {
      return [.relationshipAdded(entity: entity, relationship: name)]
    }
    let (former, target) = (old.destination, new.destination)
    let changes: [ModelChange?] = [
      old.name == name ? nil : .relationshipRenamed(entity: entity, from: old.name, to: name),
      successor(of: former) == target
        ? nil
        : .relationshipRetargeted(entity: entity, relationship: name, from: former, to: target),
      old.isToMany == new.isToMany
        ? nil : .cardinalityChanged(entity: entity, relationship: name, isToMany: new.isToMany),
      old.isOrdered == new.isOrdered
        ? nil
        : .other("\(entity): '\(name)' \(new.isOrdered ? "becomes ordered" : "loses its order")"),
      old.deleteRule == new.deleteRule
        ? nil
        : .other(
          "\(entity): the delete rule of '\(name)' is \(new.deleteRule.name), not "
            + old.deleteRule.name
        ),
    ]
    return changes.compactMap(\.self) + details(of: new, old, in: entity)
  }

  private func constraintChanges(
    of entity: Entity,
    from former: Entity,
    _ mapping: EntityMapping
  ) -> [ModelChange] {
    let back = EntityMapping(from: entity, in: destination, to: former, in: source)
    func sentence(_ properties: [String], _ words: String) -> ModelChange {
      .other("\(entity.name): \(properties.joined(separator: " + ")) \(words)")
    }
    return mapping.addedConstraints.map { sentence($0, "becomes unique") }
      + back.addedConstraints.map { sentence($0, "no longer needs to be unique") }
  }

  private func indexChanges(of entity: Entity, from former: Entity) -> [ModelChange] {
    let names = Set(entity.fetchIndexes.map(\.name))
    let formerNames = Set(former.fetchIndexes.map(\.name))
    let new = entity.fetchIndexes.filter { !former.fetchIndexes.contains($0) }.map(\.name)
    let gone = former.fetchIndexes.map(\.name).filter { !names.contains($0) }
    return new.map { name in
      formerNames.contains(name)
        ? .other("\(entity.name): it has a different index '\(name)'")
        : .indexAdded(entity: entity.name, index: name)
    } + gone.map { .other("\(entity.name): index '\($0)' goes") }
  }
}

extension MappingModel {
  private func details(of new: Entity, _ old: Entity) -> [ModelChange] {
    // Report a changed class name only if neither name is the generic class's and at least one
    // differs from its entity's name.
    let isNamed = new.className != new.name || old.className != old.name
    let isOwn = ![new.className, old.className].contains(Entity.genericClassName)
    let isOtherClass = new.className != old.className && isNamed && isOwn
    let details = [
      new.isAbstract == old.isAbstract
        ? nil : new.isAbstract ? "becomes abstract" : "is no longer abstract",
      isOtherClass ? "is of class \(new.className), not \(old.className)" : nil,
      new.versionHashModifier == old.versionHashModifier ? nil : "has a different hash modifier",
    ]
    return changes(details, of: nil, in: new.name)
  }

  private func details(of new: Attribute, _ old: Attribute, in entity: String) -> [ModelChange] {
    let (isTransient, isPreserved) = (new.isTransient, new.preservesValueOnDeletion)
    let isBoundedAlike =
      new.minimum == old.minimum && new.maximum == old.maximum && new.pattern == old.pattern
    let others: [(isSame: Bool, what: String)] = [
      (new.derivation == old.derivation, "derivation"),
      (new.transformerName == old.transformerName, "value transformer"),
      (new.valueClassName == old.valueClassName, "class of values"),
      (new.elements == old.elements, "composite elements"),
      (new.isIndexedBySpotlight == old.isIndexedBySpotlight, "mark for Spotlight"),
      (new.versionHashModifier == old.versionHashModifier, "hash modifier"),
    ]
    let isExternal = new.allowsExternalStorage
    let details = [
      old.isOptional == new.isOptional
        ? nil : new.isOptional ? "becomes optional" : "becomes required",
      old.defaultValue == new.defaultValue ? nil : "has a different default for new objects",
      old.allowsExternalStorage == isExternal
        ? nil : "\(isExternal ? "may be" : "is no longer") kept in external storage",
      isTransient == old.isTransient
        ? nil
        : isTransient
          ? "becomes transient: its column goes" : "is no longer transient: it gets a column",
      isBoundedAlike ? nil : "has other bounds",
      isPreserved == old.preservesValueOnDeletion
        ? nil
        : "is \(isPreserved ? "" : "no longer ")kept in the tombstones of deleted objects",
    ]
    let another = others.map { $0.isSame ? nil : "has a different \($0.what)" }
    return changes(details + another, of: new.name, in: entity)
  }

  private func details(of new: Relationship, _ old: Relationship, in entity: String)
    -> [ModelChange]
  {
    func quoted(_ name: String?) -> String { name.map { "'\($0)'" } ?? "none" }
    let isCounted = new.isToMany && old.isToMany
    let isCountedAlike =
      new.minimumCount == old.minimumCount
      && (!isCounted || new.maximumCount == old.maximumCount)
    let details = [
      new.isOptional == old.isOptional
        ? nil : new.isOptional ? "becomes optional" : "becomes required",
      new.isTransient == old.isTransient
        ? nil : new.isTransient ? "becomes transient" : "is no longer transient",
      new.inverse == old.inverse
        ? nil : "has the inverse \(quoted(new.inverse)), not \(quoted(old.inverse))",
      isCountedAlike ? nil : "may have a different number of objects",
      new.versionHashModifier == old.versionHashModifier ? nil : "has a different hash modifier",
    ]
    return changes(details, of: new.name, in: entity)
  }

  private func changes(
    _ details: [String?],
    of property: String?,
    in entity: String
  ) -> [ModelChange] {
    let subject = property.map { "'\($0)'" } ?? "it"
    return details.compactMap(\.self).map { .other("\(entity): \(subject) \($0)") }
  }
}
