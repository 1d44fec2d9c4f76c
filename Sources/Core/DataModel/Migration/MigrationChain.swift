/// Compares the result of a chain of inferred migrations with that of the single direct step.
///
/// They differ if an intermediate version drops something that a later version reintroduces, or
/// gives it a different default. Core Data permits both.
package struct MigrationChain: Sendable {
  /// A difference in one part of the last model: its contents after the chain, and after the direct
  /// step.
  package struct Difference: Hashable, Encodable, Sendable, CustomStringConvertible {
    /// The name of an entity, or of an entity and its property.
    package let place: String
    package let chain: String
    package let direct: String

    package var description: String { "\(place): the chain \(chain), the direct step \(direct)" }
  }

  /// The mapping of each step, in order.
  package let steps: [MappingModel]
  package let direct: MappingModel
  /// The entities and properties for which the chain and the direct step give different objects,
  /// values or positions.
  package let differences: [Difference]
  /// Whether the direct step assigns positions in ordered relationships and the chain does not,
  /// which no single mapping can reproduce.
  private let leavesPlaces: Bool

  /// Compares the steps between models in chronological order, starting with the store's model.
  ///
  /// - Precondition: There are at least two models.
  package init(_ models: [Model]) {
    self.init(
      steps: zip(models, models.dropFirst()).map { MappingModel(from: $0, to: $1) },
      direct: MappingModel(from: models[0], to: models[models.count - 1])
    )
  }

  package init(steps: [MappingModel], direct: MappingModel) {
    self.steps = steps
    self.direct = direct
    let trace = Trace(steps: steps, direct: direct)
    let places = Self.places(steps, direct)
    leavesPlaces = !places.isEmpty
    differences = steps.count < 2 ? [] : direct.entities.flatMap(trace.differences) + places
  }

  private static func places(_ steps: [MappingModel], _ direct: MappingModel) -> [Difference] {
    Set(steps.flatMap(\.gaps)).subtracting(direct.gaps).compactMap { gap -> Difference? in
      guard case .places(let entity, let name) = gap,
        direct.destination.entity(named: entity)?.relationship(named: name)?.isOrdered == true
      else { return nil }
      return Difference(
        place: "\(entity).\(name)",
        chain: "leaves no positions",
        direct: "sets positions by key"
      )
    }.sorted { $0.place < $1.place }
  }

  /// Whether every step can be inferred.
  package var isLightweight: Bool { steps.allSatisfy(\.isLightweight) }

  /// Whether both the steps and the direct step can be inferred, so that users can choose between
  /// them.
  package var isEitherPermitted: Bool { isLightweight && direct.isLightweight }

  /// A direct mapping with the same result as the chain: its destination is the last model with
  /// adjusted renaming identifiers and defaults.
  ///
  /// It is `nil` if sub-entities need different adjustments of an inherited property, or if only
  /// the direct step sets positions.
  package var asOneStep: MappingModel? {
    guard !leavesPlaces else { return nil }
    guard !differences.isEmpty else { return direct }
    let trace = Trace(steps: steps, direct: direct)
    var entities = direct.destination.entities
    for index in entities.indices {
      guard let entity = trace.renamed(entities[index]) else { return nil }
      entities[index] = entity
    }
    let model = Model(
      entities: entities,
      versionIdentifiers: direct.destination.versionIdentifiers,
      configurations: direct.destination.configurations
    )
    return MappingModel(from: direct.source, to: model)
  }
}

private struct Trace {
  enum Origin: Hashable {
    case former(String, filled: Value?)
    case constant(Value)

    var words: String {
      switch self {
      case .former(let name, nil): "keeps the values of '\(name)'"
      case .former(let name, let filled?):
        "keeps the values of '\(name)', and sets \(filled.words) where a value is missing"
      case .constant(.null): "leaves it empty"
      case .constant(let value): "sets \(value.words)"
      }
    }
  }

  let steps: [MappingModel]
  let direct: MappingModel

  // MARK: Differences

  func differences(_ entity: EntityMapping) -> [MigrationChain.Difference] {
    // An abstract entity has no objects of its own to keep.
    func ownObjects(_ name: String?) -> String? {
      name.flatMap { direct.source.entity(named: $0)?.isAbstract == true ? nil : $0 }
    }
    let (former, source) = (
      ownObjects(formerEntity(of: entity.destination)), ownObjects(entity.source)
    )
    guard former == source else {
      return [
        MigrationChain.Difference(
          place: entity.destination,
          chain: former.map { "keeps the objects of \($0)" } ?? "leaves no objects",
          direct: source.map { "keeps those of \($0)" } ?? "leaves none"
        )
      ]
    }
    // The properties of an abstract entity are compared in its sub-entities.
    let isAbstract = direct.destination.entity(named: entity.destination)?.isAbstract == true
    return former == nil || isAbstract ? [] : properties(of: entity)
  }

  private func properties(of entity: EntityMapping) -> [MigrationChain.Difference] {
    let attributes = entity.attributes.filter { !$0.destination.isTransient }
      .compactMap { mapping -> MigrationChain.Difference? in
        let name = mapping.destination.name
        let chain = origin(of: name, in: entity.destination, steps)
        let direct = origin(of: name, in: entity.destination, [direct])
        guard let chain, let direct, chain != direct else { return nil }
        return MigrationChain.Difference(
          place: "\(entity.destination).\(name)",
          chain: chain.words,
          direct: direct.words
        )
      }
    let relationships = entity.relationships.filter { !$0.destination.isTransient }
      .compactMap { mapping -> MigrationChain.Difference? in
        let name = mapping.destination.name
        let former = formerRelationship(name, in: entity.destination)
        let same = mapping.source.flatMap { $0.isTransient ? nil : $0.name }
        guard former != same else { return nil }
        func words(_ former: String?) -> String {
          former.map { "keeps the objects of '\($0)'" } ?? "leaves it empty"
        }
        return MigrationChain.Difference(
          place: "\(entity.destination).\(name)",
          chain: words(former),
          direct: words(same)
        )
      }
    return attributes + relationships
  }

  // MARK: Origins

  private func formerEntity(of name: String) -> String? {
    steps.reversed().reduce(name as String?) { name, step in
      name.flatMap { step.mapping(to: $0)?.source }
    }
  }

  private func origin(of attribute: String, in entity: String, _ steps: [MappingModel]) -> Origin? {
    var (name, place) = (attribute, entity)
    var filled: Value?
    for step in steps.reversed() {
      guard let found = step.mapping(to: place),
        let mapping = found.attributes.first(where: { $0.destination.name == name })
      else { return nil }
      // Only the earliest step that makes the attribute required matters: later, no values are
      // missing.
      if mapping.isMadeRequired { filled = mapping.destination.defaultValue }
      guard let former = mapping.source, !former.isTransient, let above = found.source else {
        let value = mapping.destination.defaultValue
        return .constant(value == .null ? filled ?? .null : value)
      }
      (name, place) = (former.name, above)
    }
    return .former(name, filled: filled)
  }

  private func formerRelationship(_ relationship: String, in entity: String) -> String? {
    var (name, place) = (relationship, entity)
    for step in steps.reversed() {
      guard let found = step.mapping(to: place),
        let former = found.relationships.first(where: { $0.destination.name == name })?.source,
        !former.isTransient, let above = found.source
      else { return nil }
      (name, place) = (former.name, above)
    }
    return name
  }

  // MARK: Equivalent direct step

  /// Returns an entity of the last model with renaming identifiers and defaults for which a single
  /// step has the chain's result; `nil` if its sub-entities need different identifiers or defaults.
  func renamed(_ entity: Entity) -> Entity? {
    var entity = entity
    let former = formerEntity(of: entity.name).flatMap(direct.source.entity(named:))
    entity.renamingIdentifier =
      former?.identifier ?? Self.unused(entity.name, direct.source.entities.map(\.identifier))
    let users = direct.destination.family(of: entity).filter { formerEntity(of: $0.name) != nil }
    guard !users.isEmpty else { return entity }
    for index in entity.attributes.indices where !entity.attributes[index].isTransient {
      let made = Set(users.map { attribute(entity.attributes[index], in: $0.name) })
      guard made.count == 1, let attribute = made.first else { return nil }
      entity.attributes[index] = attribute
    }
    for index in entity.relationships.indices where !entity.relationships[index].isTransient {
      let made = Set(users.map { identifier(of: entity.relationships[index].name, in: $0.name) })
      guard made.count == 1 else { return nil }
      entity.relationships[index].renamingIdentifier = made.first
    }
    return entity
  }

  private func attribute(_ attribute: Attribute, in entity: String) -> Attribute {
    var made = attribute
    let known =
      formerEntity(of: entity).flatMap(direct.source.entity(named:))
      .map(direct.source.attributes) ?? []
    switch origin(of: attribute.name, in: entity, steps) {
    case .former(let name, let filled)?:
      made.renamingIdentifier = known.first { $0.name == name }?.identifier
      guard let filled else { break }
      (made.isOptional, made.defaultValue) = (false, filled)
    case .constant(let value)?:
      made.renamingIdentifier = Self.unused(attribute.name, known.map(\.identifier))
      made.defaultValue = value
    case nil: break
    }
    return made
  }

  private func identifier(of relationship: String, in entity: String) -> String {
    let known =
      formerEntity(of: entity).flatMap(direct.source.entity(named:))
      .map(direct.source.relationships) ?? []
    let former = formerRelationship(relationship, in: entity)
    return known.first { $0.name == former }?.identifier
      ?? Self.unused(relationship, known.map(\.identifier))
  }

  private static func unused(_ name: String, _ known: [String]) -> String {
    var identifier = "new \(name)"
    while known.contains(identifier) { identifier += "'" }
    return identifier
  }
}

extension Value {
  /// The value for use in a sentence; text is in quotes.
  package var words: String {
    switch self {
    case .null: "nothing"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): "'\(value)'"
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }
}
