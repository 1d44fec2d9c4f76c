import Basics

/// Reduces a mapping to renaming identifiers in a copy of the destination model.
///
/// With them, a lightweight migration has the same result as the mapping.
extension MappingModel {
  /// The destination model with a renaming identifier for everything that the mapping renames.
  package var renamedDestination: Model {
    var entities = destination.entities
    for index in entities.indices {
      guard let mapping = mapping(to: entities[index].name), let former = mapping.source else {
        continue
      }
      entities[index].renamingIdentifier = source.entity(named: former)?.identifier
      for place in entities[index].attributes.indices {
        let name = entities[index].attributes[place].name
        let found = mapping.attributes.first { $0.destination.name == name }?.formerName
        entities[index].attributes[place].renamingIdentifier = found.flatMap { former in
          oldAttribute(former, of: mapping)?.identifier
        }
      }
      for place in entities[index].relationships.indices {
        let name = entities[index].relationships[place].name
        let found = mapping.relationships.first { $0.destination.name == name }?.source
        entities[index].relationships[place].renamingIdentifier = found?.identifier
      }
    }
    var model = Model(
      entities: entities,
      versionIdentifiers: destination.versionIdentifiers,
      configurations: destination.configurations
    )
    // Restore the order of the version identifiers, which the initializer sorts.
    model.versionIdentifiers = destination.versionIdentifiers
    return model
  }

  private func oldAttribute(_ name: String, of mapping: EntityMapping) -> Attribute? {
    mapping.source.flatMap(source.entity(named:)).flatMap { entity in
      source.attributes(of: entity).first { $0.name == name }
    }
  }

  /// The reasons why renaming identifiers alone cannot replace the mapping, in sentences.
  package var renamingBlockers: [String] {
    let named = entities.filter { $0.source != nil }
    if named.isEmpty {
      return ["the two models have no entity in common: a map must assign entities"]
    }
    let own = merged + split + named.flatMap(blockers)
    guard own.isEmpty else { return own }
    let renamed = MappingModel(from: source, to: renamedDestination)
    let lost = removedEntities.filter { map?.dropped.contains($0) != true }
      .filter { source.entity(named: $0)?.isAbstract == false }
      .map { "\($0) has no successor: its objects would be dropped" }
    return renamed.obstacles.map(\.description) + lost
  }

  private var merged: [String] {
    destination.entities.compactMap { entity in
      let formers = mappings(to: entity.name).compactMap(\.source)
      return formers.count < 2
        ? nil : "\(entity.name) combines \(formers.joined(separator: " and "))"
    }
  }

  private var split: [String] {
    source.entities.compactMap { entity in
      let successors = mappings(from: entity.name).map(\.destination)
      return successors.count < 2
        ? nil : "\(entity.name) is split into \(successors.joined(separator: " and "))"
    }
  }

  private func blockers(_ mapping: EntityMapping) -> [String] {
    let conditions =
      mapping.conditions.isEmpty ? [] : ["only some objects of \(mapping.source ?? "") are kept"]
    let values = mapping.attributes.filter { $0.value != nil && $0.formerName == nil }
      .map { "\(mapping.destination).\($0.destination.name) is made from other values" }
    let relationships = mapping.relationships.filter { $0.expression != nil }
      .map { "\(mapping.destination).\($0.destination.name) has different targets" }
    return conditions + values + relationships
  }
}

extension AttributeMapping {
  fileprivate var formerName: String? {
    guard let value else { return source?.name }
    // For a lightweight migration, widening a number is not a conversion.
    guard case .converted(.source(let path), _) = value, let source, path == [source.name],
      source.type.widens(to: destination.type)
    else { return nil }
    return source.name
  }
}
