import Basics

/// All names in a migration map that do not exist in its models, reported together.
package struct MigrationMapError: ErrorWithStatus, Equatable, CustomStringConvertible {
  /// The problems, as sentences without a final period.
  package let problems: [String]

  package var status: CommandStatus { .badInput }
  package var description: String {
    "the map does not match the models: " + problems.joined(separator: "; ")
  }
}

struct MapResolution {
  let map: MigrationMap
  let source: Model
  let destination: Model

  /// The entity mappings, in the order of the destination's entities; mappings to the same entity
  /// are in the map's order.
  ///
  /// A destination entity without a source gets one mapping without a source.
  var entities: [EntityMapping] {
    let claimed = Set(map.entities.compactMap(\.source)).union(map.dropped)
    let inferred = MappingModel(from: source, to: destination)
    return destination.entities.flatMap { entity -> [EntityMapping] in
      let rules = map.entities.filter { $0.destination == entity.name && $0.source != nil }
      if !rules.isEmpty { return rules.map { mapping(of: $0, to: entity) } }
      let isNamed = map.entities.contains { $0.destination == entity.name }
      if map.infersTheRest, !isNamed, let mapping = inferred.mapping(to: entity.name),
        let former = mapping.source, !claimed.contains(former)
      {
        let rule = EntityMap(source: former, destination: entity.name)
        return [self.mapping(of: rule, to: entity)]
      }
      return [EntityMapping(from: nil, in: source, to: entity, in: destination)]
    }
  }

  private func mapping(of rule: EntityMap, to entity: Entity) -> EntityMapping {
    let former = rule.source.flatMap(source.entity(named:))
    let inferred = EntityMapping(
      from: rule.infersProperties ? former : nil,
      in: source,
      to: entity,
      in: destination
    )
    var mapping = EntityMapping(
      source: rule.source,
      destination: entity.name,
      attributes: inferred.attributes.map { attribute(rule, $0, of: former) },
      relationships: inferred.relationships.map { relationship(rule, $0, of: former) },
      addedConstraints: EntityMapping(from: former, in: source, to: entity, in: destination)
        .addedConstraints
    )
    mapping.name = rule.name
    mapping.conditions = rule.conditions.map { condition in
      let type = attribute([condition.attribute], of: former)?.type
      var condition = condition
      condition.values = condition.values.map { type.flatMap($0.fitted) ?? $0 }
      return condition
    }
    return mapping
  }

  private func attribute(
    _ rule: EntityMap,
    _ inferred: AttributeMapping,
    of former: Entity?
  ) -> AttributeMapping {
    let new = inferred.destination
    guard let expression = rule.attributes[new.name] else {
      return converting(inferred.source, to: new)
    }
    if case .source(let path) = expression, path.count == 1 {
      return converting(attribute(path, of: former), to: new)
    }
    let value = fitted(expression, to: new.type, former)
    return AttributeMapping(source: nil, destination: new, value: value)
  }

  private func converting(_ former: Attribute?, to new: Attribute) -> AttributeMapping {
    let value = former.map { fitted(.source([$0.name]), from: $0.type, to: new.type) }
    if case .source? = value { return AttributeMapping(source: former, destination: new) }
    return AttributeMapping(source: former, destination: new, value: value)
  }

  private func fitted(
    _ expression: ValueExpression,
    from type: AttributeType?,
    to new: AttributeType
  ) -> ValueExpression {
    type.flatMap { ValueConversion(from: $0, to: new) }.map { .converted(expression, $0) }
      ?? expression
  }

  private func fitted(
    _ expression: ValueExpression,
    to type: AttributeType,
    _ former: Entity?
  ) -> ValueExpression {
    switch expression {
    case .source(let path):
      return fitted(expression, from: attribute(path, of: former)?.type, to: type)
    case .constant(let value): return .constant(value.fitted(to: type) ?? value)
    case .joined(let parts, let separator):
      return .joined(parts.map { fitted($0, to: .string, former) }, separator: separator)
    case .firstOf(let parts): return .firstOf(parts.map { fitted($0, to: type, former) })
    case .replaced(let inner, let replacements, let otherwise):
      let old = inner.paths.first.flatMap { attribute($0, of: former)?.type }
      let rest = otherwise.map { fitted($0, to: type, former) } ?? fitted(inner, to: type, former)
      return .replaced(
        inner,
        replacements.map { replacement in
          ValueExpression.Replacement(
            old.flatMap(replacement.value.fitted) ?? replacement.value,
            by: replacement.by.fitted(to: type) ?? replacement.by
          )
        },
        otherwise: rest == inner ? nil : rest
      )
    // Infer no conversion: conversions, constants such as `now` and functions determine the value.
    case .converted, .now, .identifier, .function: return expression
    }
  }

  private func relationship(
    _ rule: EntityMap,
    _ inferred: RelationshipMapping,
    of former: Entity?
  ) -> RelationshipMapping {
    let new = inferred.destination
    guard let expression = rule.relationships[new.name] else { return inferred }
    let name = expression.relationship
    let old = former.flatMap { former in
      source.relationships(of: former).first { $0.name == name }
    }
    if case .source = expression { return RelationshipMapping(source: old, destination: new) }
    return RelationshipMapping(source: old, destination: new, expression: expression)
  }

  private func attribute(_ path: [String], of entity: Entity?) -> Attribute? {
    var place = entity
    for name in path.dropLast() {
      let step = place.flatMap { place in
        source.relationships(of: place).first { $0.name == name && !$0.isToMany }
      }
      place = step.flatMap { source.entity(named: $0.destination) }
    }
    return place.flatMap { place in
      source.attributes(of: place).first { $0.name == path.last }
    }
  }
}

extension MapResolution {
  /// A problem in a map, and the key of its place (``MigrationMap/places``).
  struct Problem {
    let message: String
    let key: String
  }

  var problems: [Problem] {
    let names = Dictionary(grouping: map.entities.indices) { map.entities[$0].name }
    let doubled = names.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map {
      Problem(message: "two mappings are called '\($0.key)'", key: "\($0.value[1]).name")
    }
    let dropped = map.dropped.sorted().compactMap { name in
      unknown(
        "entity",
        name,
        among: source.entities.map(\.name),
        in: "the old model",
        at: "drop.\(name)"
      )
    }
    return doubled + dropped
      + map.entities.indices.flatMap { entityProblems(map.entities[$0], at: "\($0)") }
  }

  private func unknown(
    _ noun: String,
    _ name: String,
    among known: [String],
    in place: String,
    at key: String
  ) -> Problem? {
    guard !known.contains(name) else { return nil }
    let hint = didYouMean(name, among: known)
    return Problem(
      message: "\(place) has no \(noun) '\(name)'"
        + (hint.isEmpty ? " (it has \(known.prefix(12).joined(separator: ", ")))" : hint),
      key: key
    )
  }

  private func entityProblems(_ rule: EntityMap, at key: String) -> [Problem] {
    let former = rule.source.flatMap(source.entity(named:))
    let entity = rule.destination.flatMap(destination.entity(named:))
    let (olds, news) = (source.entities.map(\.name), destination.entities.map(\.name))
    let entities = [
      rule.source.flatMap {
        unknown("entity", $0, among: olds, in: "the old model", at: key + ".from")
      },
      rule.destination.flatMap {
        unknown("entity", $0, among: news, in: "the new model", at: key + ".to")
      },
    ].compactMap(\.self)
    guard rule.source != nil, rule.destination != nil else { return entities }
    if let entity, let former, entity.isAbstract, !former.isAbstract {
      let message = "'\(entity.name)' is abstract, and can have no objects"
      return [Problem(message: message, key: key + ".to")]
    }
    // If the entity of one model does not exist, the names in the other model can still be checked.
    return entities + conditions(rule, of: former, at: key + ".conditions.")
      + attributes(rule, entity, former, at: key + ".attributes.")
      + relationships(rule, entity, former, at: key + ".relationships.")
  }

  private func conditions(_ rule: EntityMap, of former: Entity?, at key: String) -> [Problem] {
    guard let former else { return [] }
    let known = source.attributes(of: former).filter { !$0.isTransient }.map(\.name)
    return rule.conditions.compactMap {
      unknown(
        "attribute",
        $0.attribute,
        among: known,
        in: "'\(former.name)'",
        at: key + $0.attribute
      )
    }
  }

  private func attributes(
    _ rule: EntityMap,
    _ entity: Entity?,
    _ former: Entity?,
    at key: String
  ) -> [Problem] {
    rule.attributes.sorted { $0.key < $1.key }.flatMap { name, expression -> [Problem] in
      let key = key + name
      let new = entity.map { attributeProblems(name, expression, of: $0, at: key) } ?? []
      let old = former.map { former in
        expression.paths.compactMap { problem(path: $0, of: former, at: key) }
      }
      return new + (old ?? [])
    }
  }

  private func attributeProblems(
    _ name: String,
    _ expression: ValueExpression,
    of entity: Entity,
    at key: String
  ) -> [Problem] {
    let known = destination.attributes(of: entity)
    guard let type = known.first(where: { $0.name == name })?.type else {
      let names = known.map(\.name)
      let problem = unknown("attribute", name, among: names, in: "'\(entity.name)'", at: key)
      return problem.map { [$0] } ?? []
    }
    return expression.constants.filter { $0.fitted(to: type) == nil }.map {
      Problem(
        message: "'\(entity.name).\(name)' is \(type.name), not \($0.asText ?? "")",
        key: key
      )
    }
  }

  private func problem(path: [String], of former: Entity, at key: String) -> Problem? {
    var place = former
    for name in path.dropLast() {
      let toOnes = source.relationships(of: place).filter { !$0.isToMany && !$0.isTransient }
      if let unknown = unknown(
        "to-one relationship",
        name,
        among: toOnes.map(\.name),
        in: "'\(place.name)'",
        at: key
      ) {
        return unknown
      }
      let step = toOnes.first { $0.name == name }
      guard let next = step.flatMap({ source.entity(named: $0.destination) }) else { return nil }
      place = next
    }
    let known = source.attributes(of: place).filter { !$0.isTransient }.map(\.name)
    return unknown("attribute", path.last ?? "", among: known, in: "'\(place.name)'", at: key)
  }

  private func relationships(
    _ rule: EntityMap,
    _ entity: Entity?,
    _ former: Entity?,
    at key: String
  ) -> [Problem] {
    rule.relationships.sorted { $0.key < $1.key }.flatMap { name, expression -> [Problem] in
      let key = key + name
      let new = entity.flatMap { entity in
        unknown(
          "relationship",
          name,
          among: destination.relationships(of: entity).map(\.name),
          in: "'\(entity.name)'",
          at: key
        )
      }
      return [new, problem(expression, of: former, at: key)].compactMap(\.self)
    }
  }

  private func problem(
    _ expression: RelationshipExpression,
    of former: Entity?,
    at key: String
  ) -> Problem? {
    if let former, let name = expression.relationship {
      let known = source.relationships(of: former).filter { !$0.isTransient }.map(\.name)
      let place = "'\(former.name)'"
      if let unknown = unknown("relationship", name, among: known, in: place, at: key) {
        return unknown
      }
    }
    let names = map.entities.map(\.name)
    return switch expression {
    case .mapped(_, let name), .sameSource(let name?):
      unknown("mapping", name, among: names, in: "the map", at: key)
    case .source, .sameSource(nil), .none, .function: nil
    }
  }
}

extension Value {
  /// The value in the form that an attribute of the given type stores; `nil` if the type cannot
  /// hold it.
  ///
  /// A map file writes dates and UUIDs as strings, and numbers without regard to their type.
  func fitted(to type: AttributeType) -> Value? {
    switch (type, self) {
    case (_, .null): return .null
    case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer): return self
    case (.boolean, .integer(let value)): return .integer(value == 0 ? 0 : 1)
    case (.double, .integer(let value)), (.float, .integer(let value)): return .real(Double(value))
    case (.double, .real), (.float, .real), (.decimal, .real), (.decimal, .integer): return self
    case (.date, .text(let text)):
      return ReferenceDate.seconds(iso8601: text).map { .real(Double($0)) }
    case (.date, .integer(let value)): return .real(Double(value))
    case (.date, .real): return self
    case (.string, _), (.uri, _): return asText.map { .text($0) }
    case (.uuid, .text(let text)): return UUIDText.bytes(of: text).map { .blob($0) }
    case (.binary, .text(let text)): return .blob(Array(text.utf8))
    default: return nil
    }
  }
}
