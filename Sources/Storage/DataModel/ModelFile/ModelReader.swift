/// Reads a model from YAML and remembers where each part of it stands.
struct ModelReader {
  private struct Site: Hashable {
    let entity: String
    let part: String?
  }

  private let diagnostics: Diagnostics
  private var places: [Site: Place] = [:]

  init(diagnostics: Diagnostics) {
    self.diagnostics = diagnostics
  }

  mutating func model(_ value: YAMLValue) -> Model? {
    let keys = ["identifier", "entities", "configurations"]
    guard let mapping = value.mapping(knowing: keys),
      let entities = mapping.required("entities")?.mapping()
    else { return nil }
    var read: [Entity] = []
    for entry in entities.entries {
      if let entity = entity(entry) { read.append(entity) }
    }
    let identifiers = mapping["identifier"].map { $0.itemsOrSelf().compactMap { $0.string() } }
    return Model(
      entities: read,
      versionIdentifiers: identifiers ?? [""],
      configurations: configurations(mapping["configurations"])
    )
  }

  /// Reports the problems of the model at the places of the parts that they are about.
  func report(_ problems: [ModelProblem]) {
    for problem in problems {
      let place = problem.entity.flatMap { entity in
        places[Site(entity: entity, part: problem.part)]
          ?? places[Site(entity: entity, part: nil)]
      }
      diagnostics.report(problem.description, at: place, severity: problem.severity)
    }
  }

  private func configurations(_ value: YAMLValue?) -> [String: [String]] {
    var configurations: [String: [String]] = [:]
    for entry in value?.mapping()?.entries ?? [] {
      configurations[entry.key] = entry.value.items()?.compactMap { $0.string() } ?? []
    }
    return configurations
  }

  private mutating func entity(_ entry: YAMLMapping.Entry) -> Entity? {
    let keys = [
      "class", "abstract", "parent", "attributes", "relationships", "unique", "indexes", "renamed",
      "hashModifier", "userInfo",
    ]
    places[Site(entity: entry.key, part: nil)] = entry.keyPlace
    guard let mapping = entry.value.mapping(knowing: keys) else { return nil }
    return Entity(
      name: entry.key,
      className: mapping["class"]?.string(),
      isAbstract: mapping["abstract"]?.boolean() ?? false,
      superentity: mapping["parent"]?.string(),
      attributes: parts(mapping["attributes"], of: entry.key) {
        AttributeReader.attribute($0)
      },
      relationships: parts(mapping["relationships"], of: entry.key) {
        RelationshipReader.relationship($0)
      },
      fetchIndexes: parts(mapping["indexes"], of: entry.key) { IndexReader.index($0) },
      uniquenessConstraints: (mapping["unique"]?.items() ?? []).map { constraint in
        (constraint.items() ?? []).compactMap { $0.string() }
      },
      renamingIdentifier: mapping["renamed"]?.string(),
      versionHashModifier: mapping["hashModifier"]?.string(),
      userInfo: userInfo(mapping["userInfo"])
    )
  }

  private mutating func parts<Part>(
    _ value: YAMLValue?,
    of entity: String,
    read: (YAMLMapping.Entry) -> Part?
  ) -> [Part] {
    var result: [Part] = []
    for entry in value?.mapping()?.entries ?? [] {
      places[Site(entity: entity, part: entry.key)] = entry.keyPlace
      if let part = read(entry) { result.append(part) }
    }
    return result
  }
}

/// The pairs of a `userInfo` mapping.
func userInfo(_ value: YAMLValue?) -> [String: String] {
  var pairs: [String: String] = [:]
  for entry in value?.mapping()?.entries ?? [] {
    pairs[entry.key] = entry.value.string()
  }
  return pairs
}
