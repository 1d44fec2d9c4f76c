/// A reason why a lightweight migration between two models is impossible.
package enum MigrationObstacle: Hashable, Sendable, CustomStringConvertible {
  case retyped(entity: String, attribute: String, from: AttributeType, to: AttributeType)
  case requiredWithoutDefault(entity: String, attribute: String)
  case toManyMadeToOne(entity: String, relationship: String)
  case retargeted(entity: String, relationship: String, from: String, to: String)
  /// Entities whose objects are in different tables would have to share a table and its keys.
  case hierarchiesMerged(into: String, roots: [String])
  case ambiguous(place: String, former: String, successors: [String])
  /// External storage is turned off, so its files would have to be read back into the rows.
  case externalStorageGivenUp(entity: String, attribute: String)
  /// An expression calls one of the app's own functions, or a function that only Apple's frameworks
  /// can call.
  case notEvaluated(entity: String, property: String, text: String)

  package var description: String {
    switch self {
    case .retyped(let entity, let name, let former, let type):
      "\(entity): '\(name)' cannot be converted from \(former.name) to \(type.name) automatically; "
        + Self.bridge
    case .requiredWithoutDefault(let entity, let name):
      "\(entity): '\(name)' is required and has no default value, which a lightweight migration "
        + "needs; give it a default or make it optional; then lightweight is enough"
    case .toManyMadeToOne(let entity, let name):
      "\(entity): relationship '\(name)' cannot change from to-many to to-one automatically; "
        + Self.bridge
    case .retargeted(let entity, let name, let former, let target):
      "\(entity): relationship '\(name)' cannot change its destination from \(former) to \(target); "
        + "if \(target) is \(former) renamed, give it the renaming identifier; otherwise "
        + Self.bridge
    case .hierarchiesMerged(let root, let roots):
      "entities below \(roots.joined(separator: " and ")) cannot move below one entity, \(root)"
    case .ambiguous(let place, let former, let successors):
      "\(place): \(successors.joined(separator: " and ")) all have the renaming identifier "
        + "'\(former)'; correct these identifiers"
    case .externalStorageGivenUp(let entity, let name):
      "\(entity): '\(name)' cannot leave external storage automatically; \(Self.bridge)"
    case .notEvaluated(let entity, let name, let text):
      "\(entity): '\(name)' is made by \(text), which only the app can evaluate; leave it out"
    }
  }

  /// The advice for a change of one property.
  ///
  /// A custom stage's code runs before or after a lightweight migration and cannot replace it.
  private static let bridge =
    "add a version between that has both properties and a stage that fills the new one, or use a "
    + "mapping model"
}

extension MigrationObstacle {
  /// Whether an intermediate version with the old and the new property makes the change possible.
  package var isBridged: Bool {
    switch self {
    case .retyped, .toManyMadeToOne, .retargeted, .externalStorageGivenUp: true
    case .requiredWithoutDefault, .hierarchiesMerged, .ambiguous, .notEvaluated: false
    }
  }

  /// Whether a default in the new model, or an optional attribute, removes the obstacle.
  package var lacksOnlyDefault: Bool {
    if case .requiredWithoutDefault = self { true } else { false }
  }

  /// Whether the obstacle also prevents copying the objects into a new store.
  ///
  /// A copy can fill required values and read external files, but cannot convert values or redirect
  /// relationships.
  package var stopsCopies: Bool {
    switch self {
    case .retyped, .toManyMadeToOne, .retargeted, .hierarchiesMerged, .ambiguous, .notEvaluated:
      true
    case .requiredWithoutDefault, .externalStorageGivenUp: false
    }
  }
}

/// Finds the changes that a lightweight migration cannot make, by the rules of Apple's "Using
/// Lightweight Migration".
///
/// The document does not mention widening numbers, which is assumed to be allowed.
extension MappingModel {
  func obstacles(of mapping: EntityMapping) -> [MigrationObstacle] {
    guard let declarer = declarers(of: mapping) else { return [] }
    return mapping.attributes.filter { !$0.destination.isTransient }
      .flatMap { obstacles(of: $0, in: declarer($0.destination.name)) }
      + mapping.relationships.filter { !$0.destination.isTransient }
      .flatMap { obstacles(of: $0, in: declarer($0.destination.name)) }
  }

  /// Returns a function that maps a property's name to the entity that declares the property; `nil`
  /// if the mapping copies no objects.
  func declarers(of mapping: EntityMapping) -> ((String) -> String)? {
    guard mapping.source != nil, let entity = destination.entity(named: mapping.destination),
      !entity.isAbstract
    else { return nil }
    return { self.destination.declarer(of: $0, in: entity)?.name ?? entity.name }
  }

  private func obstacles(of mapping: AttributeMapping, in entity: String) -> [MigrationObstacle] {
    let attribute = mapping.destination
    var obstacles: [MigrationObstacle] = []
    if case .function(let text)? = mapping.value {
      obstacles.append(.notEvaluated(entity: entity, property: attribute.name, text: text))
    }
    let isMade = mapping.source != nil || mapping.value != nil
    // Copying with a migration map detects missing values, so a default is not required in advance.
    let needsDefault = isMade ? map == nil && mapping.isMadeRequired : !attribute.isOptional
    if needsDefault, !attribute.hasDefault, attribute.derivation == nil {
      obstacles.append(.requiredWithoutDefault(entity: entity, attribute: attribute.name))
    }
    guard let former = mapping.source else { return obstacles }
    let isKept =
      map == nil
      ? former.type.widens(to: attribute.type) : former.type.keepsValues(as: attribute.type)
    if mapping.value == nil, !isKept {
      let (name, type) = (attribute.name, attribute.type)
      obstacles.append(.retyped(entity: entity, attribute: name, from: former.type, to: type))
    }
    if map == nil, former.allowsExternalStorage, !attribute.allowsExternalStorage {
      obstacles.append(.externalStorageGivenUp(entity: entity, attribute: attribute.name))
    }
    return obstacles
  }

  private func obstacles(of mapping: RelationshipMapping, in entity: String) -> [MigrationObstacle]
  {
    let (name, target) = (mapping.destination.name, mapping.destination.destination)
    let isToMany = mapping.destination.isToMany
    if case .function(let text)? = mapping.expression {
      return [.notEvaluated(entity: entity, property: name, text: text)]
    }
    if case .sameSource? = mapping.expression { return [] }
    guard let former = mapping.source else { return [] }
    let from = former.destination
    let obstacles: [MigrationObstacle?] = [
      former.isToMany && !isToMany ? .toManyMadeToOne(entity: entity, relationship: name) : nil,
      leadsOn(from: former, to: mapping.destination)
        ? nil : .retargeted(entity: entity, relationship: name, from: from, to: target),
    ]
    return obstacles.compactMap(\.self)
  }

  private func leadsOn(from former: Relationship, to relationship: Relationship) -> Bool {
    let successors =
      map == nil
      ? [successor(of: former.destination)].compactMap(\.self)
      : (source.entity(named: former.destination).map(source.family) ?? [])
        .flatMap { mappings(from: $0.name).map(\.destination) }
    return successors.compactMap(destination.entity(named:)).contains { entity in
      destination.lineage(of: entity).contains { $0.name == relationship.destination }
    }
  }

  var mergedHierarchies: [MigrationObstacle] {
    destination.entities.filter { $0.superentity == nil }.compactMap { root in
      let formers = destination.family(of: root)
        .compactMap { entity in entities.first { $0.destination == entity.name }?.source }
        .compactMap(source.entity(named:))
      var seen: Set<String> = []
      let roots = formers.map { source.root(of: $0).name }.filter { seen.insert($0).inserted }
      return roots.count > 1 ? .hierarchiesMerged(into: root.name, roots: roots) : nil
    }
  }

  var ambiguities: [MigrationObstacle] {
    Self.claims(destination.entities.map { ($0.identifier, $0.name) }, in: "the model")
      + destination.entities.flatMap { entity in
        let names =
          entity.attributes.map { ($0.identifier, $0.name) }
          + entity.relationships.map { ($0.identifier, $0.name) }
        return Self.claims(names, in: entity.name)
      }
  }

  private static func claims(
    _ names: [(identifier: String, name: String)],
    in place: String
  ) -> [MigrationObstacle] {
    var claims: [String: [String]] = [:]
    for (identifier, name) in names { claims[identifier, default: []].append(name) }
    return claims.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
      .map { .ambiguous(place: place, former: $0.key, successors: $0.value) }
  }
}

extension AttributeType {
  /// Whether the other type is the same type, or a wider number type that can hold every value of
  /// this type.
  package func widens(to other: AttributeType) -> Bool {
    if self == other { return true }
    return switch (self, other) {
    case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): true
    case (.float, .double): true
    default: false
    }
  }
}
