import DataModel

/// What a chain of migrations makes of every property, beside what one direct step makes of it.
///
/// A version on the way that drops what a later one has again, or gives another default, makes
/// another store than the direct step: data that the chain loses.
struct ChainComparison {
  /// Where the values of a property come from.
  private enum Origin: Hashable {
    /// A property of the source, missing values replaced where it became required on the way.
    case former(String, filled: Value?)
    case constant(Value)
  }

  let steps: [MappingModel]
  let direct: MappingModel

  /// One sentence for each property that the chain treats otherwise.
  var differences: [String] {
    direct.entities.flatMap { entity in
      let former = formerEntity(of: entity.destination)
      guard former == entity.source else {
        return [
          "\(entity.destination) comes from \(former ?? "nowhere") by the chain, from "
            + "\(entity.source ?? "nowhere") directly"
        ]
      }
      return former == nil ? [] : properties(of: entity)
    }
  }

  private func formerEntity(of name: String) -> String? {
    steps.reversed().reduce(name as String?) { name, step in
      name.flatMap { step.mapping(to: $0)?.source }
    }
  }

  private func properties(of entity: EntityMapping) -> [String] {
    let attributes = entity.attributes.filter { mapping in
      guard !mapping.destination.isTransient else { return false }
      return origin(of: mapping.destination.name, in: entity.destination, steps)
        != origin(of: mapping.destination.name, in: entity.destination, [direct])
    }
    let relationships = entity.relationships.filter { mapping in
      guard !mapping.destination.isTransient else { return false }
      return formerRelationship(mapping.destination.name, in: entity.destination)
        != mapping.source?.name
    }
    return (attributes.map(\.destination.name) + relationships.map(\.destination.name)).map {
      "'\($0)' of \(entity.destination) has other values"
    }
  }

  private func origin(
    of attribute: String,
    in entity: String,
    _ steps: [MappingModel]
  ) -> Origin? {
    var (name, place) = (attribute, entity)
    var filled: Value?
    for step in steps.reversed() {
      guard let found = step.mapping(to: place),
        let mapping = found.attributes.first(where: { $0.destination.name == name })
      else { return nil }
      // What became required first decides: there is nothing missing after it.
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
        let above = found.source
      else { return nil }
      (name, place) = (former.name, above)
    }
    return name
  }
}
