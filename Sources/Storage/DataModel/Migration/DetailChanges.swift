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
