import DataModel

extension Model {
  /// The model that a migration map creates from this model if no destination model exists: each
  /// entity of the map has the properties of its source under their new names.
  ///
  /// An attribute that the map computes from several values gets the type of the first value, or is
  /// a string if that type is unknown.
  package func renamed(by map: MigrationMap) -> Model {
    var formers: [String: [EntityMap]] = [:]
    var order: [String] = []
    for rule in map.entities where rule.source != nil {
      guard let name = rule.destination else { continue }
      if formers[name] == nil { order.append(name) }
      formers[name, default: []].append(rule)
    }
    let claimed = Set(map.entities.compactMap(\.source)).union(map.dropped)
    if map.infersTheRest {
      for entity in entities where !claimed.contains(entity.name) && formers[entity.name] == nil {
        order.append(entity.name)
        formers[entity.name] = [EntityMap(source: entity.name, destination: entity.name)]
      }
    }
    var successors: [String: String] = [:]
    for name in order {
      for rule in formers[name] ?? [] {
        if let source = rule.source, successors[source] == nil { successors[source] = name }
      }
    }
    let renaming = Renaming(model: self, successors: successors, rules: formers)
    return Model(
      entities: order.compactMap(renaming.entity),
      versionIdentifiers: versionIdentifiers
    )
  }
}

private struct Renaming {
  let model: Model
  let successors: [String: String]
  let rules: [String: [EntityMap]]

  func entity(_ name: String) -> Entity? {
    guard let rules = rules[name], let first = rules.first,
      let former = first.source.flatMap(model.entity(named:))
    else { return nil }
    let names = Self.names(first)
    var entity = former
    entity.name = name
    entity.className = name
    entity.renamingIdentifier = nil
    entity.versionHashModifier = nil
    // If the map drops or merges the entity's parent, the entity gets the parent's properties.
    let parent = former.superentity.flatMap { successors[$0] }
    let lineage = parent == nil ? model.lineage(of: former) : [former]
    entity.superentity = parent == name ? nil : parent
    entity.attributes = lineage.flatMap(\.attributes).map { attribute in
      var attribute = attribute
      attribute.name = names[attribute.name] ?? attribute.name
      attribute.renamingIdentifier = nil
      return attribute
    }
    var known = Set(entity.attributes.map(\.name))
    for attribute in rules.flatMap({ made(by: $0, but: known) })
    where known.insert(attribute.name).inserted {
      entity.attributes.append(attribute)
    }
    entity.relationships = lineage.flatMap(\.relationships).compactMap { relationship in
      guard let destination = successors[relationship.destination] else { return nil }
      var new = relationship
      new.name = names[relationship.name] ?? relationship.name
      new.destination = destination
      new.inverse = relationship.inverse.flatMap { inverse in
        model.inverse(of: relationship).map { _ in
          Self.names(self.rules[destination]?.first)[inverse] ?? inverse
        }
      }
      new.renamingIdentifier = nil
      return new
    }
    for rule in rules {
      for (name, expression) in rule.relationships.sorted(by: { $0.key < $1.key }) {
        guard case .sameSource(let mapping) = expression,
          let other = twin(of: rule, by: mapping)
        else { continue }
        let back = other.relationships.first { _, expression in
          if case .sameSource = expression { true } else { false }
        }?.key
        entity.relationships.append(
          Relationship(name: name, destination: other.destination ?? name, inverse: back)
        )
      }
    }
    entity.fetchIndexes = former.fetchIndexes.map { index in
      FetchIndex(
        name: index.name,
        elements: index.elements.map { element in
          var element = element
          element.property = names[element.property] ?? element.property
          return element
        },
        partialPredicate: index.partialPredicate
      )
    }
    entity.uniquenessConstraints = former.uniquenessConstraints.map { constraint in
      constraint.map { names[$0] ?? $0 }
    }
    return entity
  }

  private func twin(of rule: EntityMap, by name: String?) -> EntityMap? {
    rules.values.joined().first { other in
      other.source == rule.source && other.name != rule.name && (name == nil || other.name == name)
    }
  }

  private static func names(_ rule: EntityMap?) -> [String: String] {
    var names: [String: String] = [:]
    for (new, expression) in rule?.attributes ?? [:] {
      if case .source(let path) = expression, path.count == 1 { names[path[0]] = new }
    }
    for (new, expression) in rule?.relationships ?? [:] {
      if let former = expression.relationship { names[former] = new }
    }
    return names
  }

  private func made(by rule: EntityMap, but known: Set<String>) -> [Attribute] {
    guard let former = rule.source.flatMap(model.entity(named:)) else { return [] }
    return rule.attributes.sorted { $0.key < $1.key }.compactMap { name, expression in
      if known.contains(name) { return nil }
      return Attribute(name: name, type: type(of: expression, former))
    }
  }

  private func type(of expression: ValueExpression, _ former: Entity) -> AttributeType {
    switch expression {
    case .source(let path): return attribute(path, former)?.type ?? .string
    case .now: return .date
    case .identifier: return .uuid
    case .constant(let value):
      switch value {
      case .integer: return .integer64
      case .real: return .double
      default: return .string
      }
    case .firstOf(let parts): return parts.first.map { type(of: $0, former) } ?? .string
    case .replaced(_, let replacements, _):
      return replacements.first.map { type(of: .constant($0.by), former) } ?? .string
    case .converted(_, let conversion):
      switch conversion {
      case .textToInteger, .numberToInteger, .dateToUnixTime: return .integer64
      case .textToNumber, .integerToNumber: return .double
      case .textToBoolean, .numberToBoolean: return .boolean
      case .textToUUID: return .uuid
      case .textToDate, .unixTimeToDate, .unixMillisecondsToDate: return .date
      case .textToData: return .binary
      default: return .string
      }
    case .joined, .function: return .string
    }
  }

  private func attribute(_ path: [String], _ entity: Entity) -> Attribute? {
    var place = entity
    for name in path.dropLast() {
      let step = model.relationships(of: place).first { $0.name == name }
      guard let next = step.flatMap({ model.entity(named: $0.destination) }) else { return nil }
      place = next
    }
    return model.attributes(of: place).first { $0.name == path.last }
  }
}
