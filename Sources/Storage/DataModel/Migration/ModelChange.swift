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
