extension ModelCheck {
  mutating func checkIndexes(of entity: Entity) {
    let lineage = ancestors(of: entity)
    let attributes = lineage.flatMap(\.attributes)
    let toOnes = lineage.flatMap(\.relationships).filter { !$0.isToMany && !$0.isTransient }
    let stored = attributes.filter { !$0.isTransient }.map(\.name)
    for constraint in entity.uniquenessConstraints {
      let title = "the unique constraint [\(constraint.joined(separator: ", "))]"
      for fault in listFaults(constraint, allowed: stored, kind: "stored attribute") {
        report("\(title) \(fault)", entity: entity)
      }
    }
    for index in entity.fetchIndexes {
      if let fault = nameFault(index.name) {
        report("the index name \(fault)", entity: entity, part: index.name)
      }
      // `entity` is an expression, the number of the object's own entity.
      let allowed = stored + toOnes.map(\.name) + ["entity"]
      let properties = index.elements.map(\.property)
      let kind = "stored attribute or to-one relationship"
      for fault in listFaults(properties, allowed: allowed, kind: kind) {
        report("the index \(fault)", entity: entity, part: index.name)
      }
      checkRTree(index, of: entity, attributes: attributes)
    }
  }

  /// The names that indexes get in the store must differ, and SQLite does not tell case apart.
  mutating func checkIndexNames() {
    var names: Set<String> = []
    for entity in model.entities {
      for constraint in entity.uniquenessConstraints {
        let name = "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))"
        if !names.insert(name.uppercased()).inserted {
          let list = constraint.joined(separator: ", ")
          report("the unique constraint [\(list)] has the name of another index", entity: entity)
        }
      }
      for index in entity.fetchIndexes
      where !names.insert("Z_\(entity.name)_\(index.name)".uppercased()).inserted {
        report("the index has the name of another one", entity: entity, part: index.name)
      }
    }
  }

  private func listFaults(_ names: [String], allowed: [String], kind: String) -> [String] {
    if names.isEmpty { return ["is empty"] }
    var seen: Set<String> = []
    return names.compactMap { name in
      guard allowed.contains(name) else {
        return "names '\(name)', which is no \(kind)\(didYouMean(name, among: allowed))"
      }
      return seen.insert(name).inserted ? nil : "names '\(name)' twice"
    }
  }

  private mutating func checkRTree(
    _ index: FetchIndex,
    of entity: Entity,
    attributes: [Attribute]
  ) {
    let ranges = index.elements.filter { $0.kind == .rTree }
    guard !ranges.isEmpty else { return }
    if ranges.count != index.elements.count {
      report("an index is either an R-tree or not", entity: entity, part: index.name)
    }
    let numeric: Set<AttributeType> = [.integer16, .integer32, .integer64, .double, .float, .date]
    for element in ranges {
      let type = attributes.first { $0.name == element.property }?.type
      if let type, !numeric.contains(type) {
        let message = "an R-tree holds numbers, and '\(element.property)' is \(type.name)"
        report(message, entity: entity, part: index.name)
      }
    }
    // SQLite's R-tree has one to five dimensions (sqlite.org/rtree.html).
    if ranges.count > 5 {
      report("an R-tree has at most five attributes", entity: entity, part: index.name)
    }
  }
}
