import DataModel

/// Picks the parts of a model that a rule is about, by name.
struct ModelPlaces {
  let model: Model

  func entities(where matches: (Entity) -> Bool) -> [String] {
    model.entities.filter(matches).map(\.name)
  }

  func attributes(where matches: (Attribute) -> Bool) -> [String] {
    model.entities.flatMap { entity in
      entity.attributes.filter(matches).map { "\(entity.name).\($0.name)" }
    }
  }

  func relationships(where matches: (Relationship) -> Bool) -> [String] {
    model.entities.flatMap { entity in
      entity.relationships.filter(matches).map { "\(entity.name).\($0.name)" }
    }
  }

  func indexes(where matches: (FetchIndex) -> Bool) -> [String] {
    model.entities.flatMap { entity in
      entity.fetchIndexes.filter(matches).map { "\(entity.name).\($0.name)" }
    }
  }

  func constraints(where matches: ([String]) -> Bool) -> [String] {
    model.entities.flatMap { entity in
      entity.uniquenessConstraints.filter(matches).map {
        "\(entity.name).\($0.joined(separator: " + "))"
      }
    }
  }
}
