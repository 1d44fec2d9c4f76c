import Basics

/// What in a map the models do not have, all of it at once.
package struct MigrationMapError: Error, Equatable, CustomStringConvertible {
  /// Sentences without a full stop.
  package let problems: [String]

  package init(problems: [String]) {
    self.problems = problems
  }

  package var description: String {
    "the map does not fit the models: " + problems.joined(separator: "; ")
  }
}

/// Gives the names of a map their meaning in two models.
struct MapResolution {
  let map: MigrationMap
  let source: Model
  let destination: Model

  /// The mappings in the order of the destination's entities, those of one entity as in the map.
  ///
  /// An entity of the destination that nothing is mapped to has one mapping without a source.
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
    mapping.conditions = rule.conditions
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
    guard case .source(let path) = expression, path.count == 1 else {
      return AttributeMapping(
        source: nil,
        destination: new,
        value: typed(expression, as: new, former)
      )
    }
    return converting(attribute(path, of: former), to: new)
  }

  /// A mapping of an attribute's values, converted where the types differ.
  private func converting(_ former: Attribute?, to new: Attribute) -> AttributeMapping {
    let conversion = former.flatMap { ValueConversion(from: $0.type, to: new.type) }
    return AttributeMapping(
      source: former,
      destination: new,
      value: conversion.flatMap { conversion in
        former.map { .converted(.source([$0.name]), conversion) }
      }
    )
  }

  /// A path of several names is converted like a name alone; what else the map says, it says whole.
  private func typed(
    _ expression: ValueExpression,
    as new: Attribute,
    _ former: Entity?
  ) -> ValueExpression {
    guard case .source(let path) = expression, let read = attribute(path, of: former),
      let conversion = ValueConversion(from: read.type, to: new.type)
    else { return expression }
    return .converted(expression, conversion)
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

  /// The attribute that a key path of an entity ends at.
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

// What in a map the models do not have.
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
      return expression.paths.compactMap { problem(path: $0, of: former) }
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
