import DataModel

/// Reads which defects an entity's objects have: by property, each with its share.
struct DirtyReader {
  let model: Model
  let entity: Entity
  let recipe: EntityRecipe
  /// The many-to-manys at the sides that the recipe describes, as "Entity.relationship".
  let described: Set<String>

  private var attributes: [Attribute] {
    model.attributes(of: entity).filter { !$0.isTransient }
  }

  private var relationships: [Relationship] {
    model.lineage(of: entity).flatMap(\.relationships).filter { !$0.isTransient }
  }

  /// In the order of properties and defects, so that the order in the file moves nothing.
  func defects(_ value: YAMLValue?) -> [DefectRecipe] {
    guard let mapping = value?.mapping() else { return [] }
    let names =
      attributes.map(\.name) + relationships.map(\.name) + [EntityRecipe.highestKey]
    mapping.reportKeys(except: names)
    return mapping.entries.filter { names.contains($0.key) }
      .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .flatMap(defects)
  }

  private func defects(of entry: YAMLMapping.Entry) -> [DefectRecipe] {
    let possible = possible(entry.key)
    guard let mapping = entry.value.mapping() else { return [] }
    var found: [DefectRecipe] = []
    for item in mapping.entries {
      guard let defect = Defect(rawValue: item.key), possible.contains(defect) else {
        report(item, possible: possible, of: entry.key)
        continue
      }
      guard let share = share(item.value) else { continue }
      found.append(DefectRecipe(defect: defect, property: entry.key, share: share))
    }
    if found.filter(\.defect.isOfRow).reduce(0, { $0 + $1.share }) > 1 {
      entry.value.report("the shares of \(name(entry.key)) add up to more than 1")
    }
    let order = Defect.allCases
    return found.sorted {
      order.firstIndex(of: $0.defect) ?? 0 < order.firstIndex(of: $1.defect) ?? 0
    }
  }

  private func name(_ property: String) -> String { "\(entity.name).\(property)" }

  private func report(_ item: YAMLMapping.Entry, possible: [Defect], of property: String) {
    if item.key == Defect.null.rawValue, !isRequired(property) {
      let advice = attributes.contains { $0.name == property } ? "attributes" : "relationships"
      item.value.report(
        "\(name(property)) is optional, so nothing is wrong without it; "
          + "give 'null' under '\(advice)'"
      )
      return
    }
    let words = possible.map(\.rawValue)
    let list = words.isEmpty ? "it can have none" : "one of \(words.joined(separator: ", "))"
    item.value.report(
      "'\(item.key)' is no defect of \(name(property))"
        + "\(didYouMean(item.key, among: words)) (\(list))"
    )
  }

  private func isRequired(_ property: String) -> Bool {
    attributes.contains { $0.name == property && !$0.isOptional }
      || relationships.contains { $0.name == property && !$0.isOptional }
  }

  private func share(_ value: YAMLValue) -> Double? {
    guard let share = value.number() else { return nil }
    guard share > 0, share <= 1 else {
      value.report("\(value.name) must be above 0 and at most 1, not \(share)")
      return nil
    }
    return share
  }

  /// The defects that a property can have.
  private func possible(_ property: String) -> [Defect] {
    if property == EntityRecipe.highestKey { return [.tooLow] }
    if let attribute = attributes.first(where: { $0.name == property }) {
      let all = Defect.all(of: attribute, made: recipe.attributes[property]?.generator)
      // Two wrong values may be alike, which a unique attribute's cannot.
      return isUnique(property) || isKey(property) ? all.filter { $0 == .null } : all
    }
    guard let relationship = relationships.first(where: { $0.name == property }) else { return [] }
    return possible(relationship)
  }

  private func possible(_ relationship: Relationship) -> [Defect] {
    let inverse = model.inverse(of: relationship)
    if relationship.isToMany {
      return described.contains(name(relationship.name)) ? [.orphaned] : []
    }
    // The other side of a one-to-one would disagree, which is another defect.
    if let inverse, !inverse.isToMany { return [] }
    return (relationship.isOptional ? [] : [.null]) + [.dangling]
  }

  private func isUnique(_ property: String) -> Bool {
    model.lineage(of: entity).flatMap(\.uniquenessConstraints).contains { $0.contains(property) }
  }

  private func isKey(_ property: String) -> Bool {
    recipe.duplicates?.key.contains(property) == true
  }
}
