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

  /// The mappings in the order of the destination's entities, then of the map.
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
    // Conversions, constants such as `now` and functions already determine the value, so no
    // conversion is inferred.
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
  var problems: [String] {
    let names = Dictionary(grouping: map.entities, by: \.name).filter { $0.value.count > 1 }
    let dropped = map.dropped.sorted().compactMap {
      unknown("entity", $0, among: source.entities.map(\.name), in: "the old model")
    }
    return names.keys.sorted().map { "two mappings are called '\($0)'" } + dropped
      + map.entities.flatMap(problems)
  }

  private func unknown(_ noun: String, _ name: String, among known: [String], in place: String)
    -> String?
  {
    guard !known.contains(name) else { return nil }
    let hint = didYouMean(name, among: known)
    return "\(place) has no \(noun) '\(name)'"
      + (hint.isEmpty ? " (it has \(known.prefix(12).joined(separator: ", ")))" : hint)
  }

  private func problems(_ rule: EntityMap) -> [String] {
    let entities = [
      rule.source.flatMap {
        unknown("entity", $0, among: source.entities.map(\.name), in: "the old model")
      },
      rule.destination.flatMap {
        unknown("entity", $0, among: destination.entities.map(\.name), in: "the new model")
      },
    ].compactMap(\.self)
    guard entities.isEmpty, let entity = rule.destination.flatMap(destination.entity(named:)),
      let former = rule.source.flatMap(source.entity(named:))
    else { return entities }
    if entity.isAbstract, !former.isAbstract {
      return ["'\(entity.name)' is abstract, and can have no objects"]
    }
    return conditions(rule, of: former) + attributes(rule, entity, former)
      + relationships(rule, entity, former)
  }

  private func conditions(_ rule: EntityMap, of former: Entity) -> [String] {
    let known = source.attributes(of: former).filter { !$0.isTransient }.map(\.name)
    return rule.conditions.compactMap {
      unknown("attribute", $0.attribute, among: known, in: "'\(former.name)'")
    }
  }

  private func attributes(_ rule: EntityMap, _ entity: Entity, _ former: Entity) -> [String] {
    let known = destination.attributes(of: entity).map(\.name)
    return rule.attributes.sorted { $0.key < $1.key }.flatMap { name, expression -> [String] in
      if let unknown = unknown("attribute", name, among: known, in: "'\(entity.name)'") {
        return [unknown]
      }
      let type = destination.attributes(of: entity).first { $0.name == name }?.type
      let constants = expression.constants.filter { type.flatMap($0.fitted) == nil }
      return expression.paths.compactMap { problem(path: $0, of: former) }
        + constants.map {
          "'\(entity.name).\(name)' is \(type?.name ?? ""), not \($0.asText ?? "")"
        }
    }
  }

  private func problem(path: [String], of former: Entity) -> String? {
    var place = former
    for name in path.dropLast() {
      let toOnes = source.relationships(of: place).filter { !$0.isToMany && !$0.isTransient }
      if let unknown = unknown(
        "to-one relationship",
        name,
        among: toOnes.map(\.name),
        in: "'\(place.name)'"
      ) {
        return unknown
      }
      let step = toOnes.first { $0.name == name }
      guard let next = step.flatMap({ source.entity(named: $0.destination) }) else { return nil }
      place = next
    }
    let known = source.attributes(of: place).filter { !$0.isTransient }.map(\.name)
    return unknown("attribute", path.last ?? "", among: known, in: "'\(place.name)'")
  }

  private func relationships(_ rule: EntityMap, _ entity: Entity, _ former: Entity) -> [String] {
    let known = destination.relationships(of: entity).map(\.name)
    let formers = source.relationships(of: former).filter { !$0.isTransient }.map(\.name)
    return rule.relationships.sorted { $0.key < $1.key }.compactMap { name, expression in
      unknown("relationship", name, among: known, in: "'\(entity.name)'")
        ?? expression.relationship.flatMap {
          unknown("relationship", $0, among: formers, in: "'\(former.name)'")
        } ?? mappingProblem(expression)
    }
  }

  private func mappingProblem(_ expression: RelationshipExpression) -> String? {
    let names = map.entities.map(\.name)
    return switch expression {
    case .mapped(_, let name), .sameSource(let name?):
      unknown("mapping", name, among: names, in: "the map")
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
