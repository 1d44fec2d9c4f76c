import DataModel

/// What a model, and a step between two, must keep to where an app is synced by CloudKit.
struct CloudKitAudit {
  let mapping: MappingModel

  /// The rules for the model that the app will have.
  var modelFindings: [RuleFinding] {
    let places = ModelPlaces(model: mapping.destination)
    return [
      RuleFinding(
        rule: "cloudKit.noUniqueConstraints",
        text: "no unique constraints",
        advice: "drop the constraint and remove duplicates in code",
        source: .cloudKitModel,
        places: places.constraints { _ in true }
      ),
      RuleFinding(
        rule: "cloudKit.optionalOrDefault",
        text: "every attribute is optional or has a default",
        advice: "make it optional or give it a default",
        source: .cloudKitRules,
        places: places.attributes {
          !$0.isOptional && !$0.isTransient && $0.defaultValue == .null && $0.derivation == nil
        }
      ),
      RuleFinding(
        rule: "cloudKit.attributeTypes",
        text: "no attributes of type object ID",
        advice: "store a UUID or a URI instead",
        source: .cloudKitModel,
        places: places.attributes { $0.type == .objectID }
      ),
      RuleFinding(
        rule: "cloudKit.optionalRelationships",
        text: "every relationship is optional",
        advice: "make it optional",
        source: .cloudKitModel,
        places: places.relationships { !$0.isOptional }
      ),
      RuleFinding(
        rule: "cloudKit.inverses",
        text: "every relationship has an inverse",
        advice: "add the inverse",
        source: .cloudKitModel,
        places: places.relationships { mapping.destination.inverse(of: $0) == nil }
      ),
      RuleFinding(
        rule: "cloudKit.noDeny",
        text: "no delete rule 'deny'",
        advice: "use nullify or cascade",
        source: .cloudKitModel,
        places: places.relationships { $0.deleteRule == .deny }
      ),
      RuleFinding(
        rule: "cloudKit.noOrder",
        text: "no ordered relationships",
        advice: "keep the position in an attribute",
        source: .cloudKitRules,
        places: places.relationships(where: \.isOrdered)
      ),
      RuleFinding(
        rule: "cloudKit.configurations",
        text: "no relationship leads from one configuration into another",
        advice: "put both entities into one configuration",
        source: .cloudKitModel,
        places: crossings
      ),
    ]
  }

  /// The rule for the step: what is in production can only be added to.
  var stepFinding: RuleFinding {
    RuleFinding(
      rule: "cloudKit.additive",
      text: "entities and properties are only added",
      advice: "leave the old one in the model and add a new one beside it",
      source: .cloudKitModel,
      places: mapping.changes.compactMap(Self.place)
    )
  }

  private var crossings: [String] {
    let model = mapping.destination
    guard model.configurations.count > 1 else { return [] }
    func homes(_ entity: String) -> Set<String> {
      Set(model.configurations.filter { $0.value.contains(entity) }.keys)
    }
    return model.entities.flatMap { entity in
      entity.relationships.filter { relationship in
        let (own, other) = (homes(entity.name), homes(relationship.destination))
        return !own.isEmpty && !other.isEmpty && own.isDisjoint(with: other)
      }.map { "\(entity.name).\($0.name)" }
    }
  }

  /// Where a change takes something away from CloudKit's schema, or turns it into something else.
  private static func place(of change: ModelChange) -> String? {
    switch change {
    case .entityRemoved(let entity): "\(entity) removed"
    case .entityRenamed(let former, let entity): "\(former) renamed to \(entity)"
    case .attributeRemoved(let entity, let name), .relationshipRemoved(let entity, let name):
      "\(entity).\(name) removed"
    case .attributeRenamed(let entity, let former, let name),
      .relationshipRenamed(let entity, let former, let name):
      "\(entity).\(former) renamed to \(name)"
    case .attributeRetyped(let entity, let name, _, _): "\(entity).\(name) has another type"
    case .relationshipRetargeted(let entity, let name, _, _):
      "\(entity).\(name) leads elsewhere"
    case .cardinalityChanged(let entity, let name, let isToMany):
      "\(entity).\(name) becomes \(isToMany ? "to-many" : "to-one")"
    case .superentityChanged(let entity, _, _): "\(entity) has another super-entity"
    default: nil
    }
  }
}
