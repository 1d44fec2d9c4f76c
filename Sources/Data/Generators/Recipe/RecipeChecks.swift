import DataModel

/// Finds what no store can have: unique values that repeat, targets that are not there.
struct RecipeChecks {
  let model: Model
  let entities: [EntityRecipe]
  let relationships: [RelationshipRecipe]
  let mappings: [String: YAMLMapping]
  /// The mapping of all entities, the place of what no entity of its own has.
  let top: YAMLMapping

  func report() {
    for recipe in entities where recipe.count > 0 {
      guard let entity = model.entity(named: recipe.name) else { continue }
      checkUnique(entity, recipe)
      checkDuplicates(entity, recipe)
      checkAttributes(entity, recipe)
    }
    for relationship in relationships { checkTargets(of: relationship) }
  }

  private func report(_ message: String, at entity: String) {
    (mappings[entity] ?? top).report(message)
  }

  private func checkUnique(_ entity: Entity, _ recipe: EntityRecipe) {
    for constraint in model.lineage(of: entity).flatMap(\.uniquenessConstraints) {
      if recipe.duplicates != nil, constraint.allSatisfy(recipe.isShared) {
        report(
          "'\(constraint.joined(separator: ", "))' is unique in the model, so it cannot have "
            + "duplicates; use a version of the model without the constraint",
          at: entity.name
        )
      }
      let isDistinct = constraint.contains { recipe.attributes[$0]?.isDistinct == true }
      if !isDistinct, recipe.count > 1 {
        report(
          "\(entity.name) needs distinct values of '\(constraint.joined(separator: ", "))', "
            + "which is unique: use uuid, code, label, email, or 'distinct: true'",
          at: entity.name
        )
      }
    }
  }

  private func checkDuplicates(_ entity: Entity, _ recipe: EntityRecipe) {
    guard let duplicates = recipe.duplicates else { return }
    let keys = duplicates.key.compactMap { recipe.attributes[$0] }
    if !keys.contains(where: \.isDistinct) {
      report(
        "the originals of \(entity.name)'s duplicates need distinct keys: use uuid, code, label, "
          + "email, or 'distinct: true' for one of '\(duplicates.key.joined(separator: ", "))'",
        at: entity.name
      )
    }
    if let edits = duplicates.edits, duplicates.likeness.contains(where: { $0.likeness == .near }),
      !edits.attributes.contains(where: { recipe.attributes[$0]?.isNeverNull == true })
    {
      report(
        "one of '\(edits.attributes.joined(separator: ", "))' must never be null, so that near "
          + "copies have something to edit",
        at: entity.name
      )
    }
    if keys.contains(where: { $0.nullShare > 0 || $0.condition != nil }) {
      report(
        "no share of '\(duplicates.key.joined(separator: ", "))' can be null, since it is the key "
          + "of duplicates",
        at: entity.name
      )
    }
  }

  private func checkAttributes(_ entity: Entity, _ recipe: EntityRecipe) {
    for attribute in model.attributes(of: entity) where !attribute.isTransient {
      let isEmpty = recipe.attributes[attribute.name]?.isAlwaysNull == true
      if isEmpty, !attribute.isOptional {
        report("no values can be made for \(entity.name).\(attribute.name)", at: entity.name)
      }
      if let derivation = attribute.derivation, Derivation(derivation) == nil {
        (mappings[entity.name] ?? top).report(
          "\(entity.name).\(attribute.name) is derived; its values are generated like any other's",
          severity: .warning
        )
      }
    }
    checkCircles(entity, recipe)
  }

  /// Attributes that follow others, or depend on them, must not do so in a circle.
  private func checkCircles(_ entity: Entity, _ recipe: EntityRecipe) {
    for start in recipe.attributes.keys.sorted() {
      var seen: Set<String> = [start]
      var next = recipe.attributes[start]?.bases ?? []
      while let name = next.popLast() {
        if name == start {
          report("'\(start)' of \(entity.name) depends on itself", at: entity.name)
        }
        guard seen.insert(name).inserted else { continue }
        next += recipe.attributes[name]?.bases ?? []
      }
    }
  }

  private func checkTargets(of recipe: RelationshipRecipe) {
    guard
      let pair = RelationshipPair.all(of: model).lazy
        .flatMap({ [$0, $0.reversed].compactMap { $0 } })
        .first(where: {
          $0.owner.entity == recipe.entity && $0.owner.relationship.name == recipe.name
        })
    else { return }
    let sources = count(of: recipe.entity)
    let targets = count(of: pair.owner.relationship.destination)
    let isMandatory = !pair.owner.relationship.isOptional
    if isMandatory, pair.kind == .manyToOne, sources > 0, targets == 0 {
      report(
        "\(pair.owner.name) is not optional, but there is no "
          + "\(pair.owner.relationship.destination)",
        at: recipe.entity
      )
    }
    if isMandatory, pair.kind == .oneToOne, sources > targets {
      report(
        "\(pair.owner.name) is not optional, but there are only \(targets) objects of "
          + "\(pair.owner.relationship.destination) for \(sources)",
        at: recipe.entity
      )
    }
    if let inverse = pair.inverse, pair.kind == .oneToOne, !inverse.relationship.isOptional,
      targets > sources
    {
      report(
        "\(inverse.name) is not optional, but there are only \(sources) objects of "
          + "\(recipe.entity) for \(targets)",
        at: inverse.entity
      )
    }
    if isMandatory, pair.kind == .manyToOne, sources > 0, isTree(pair) {
      report(
        "\(pair.owner.name) leads to the same objects, so the first can have none; "
          + "make it optional",
        at: recipe.entity
      )
    }
  }

  private func isTree(_ pair: RelationshipPair) -> Bool {
    pair.owner.relationship.destination == pair.owner.entity
  }

  /// The objects of an entity and its sub-entities.
  private func count(of name: String) -> Int {
    guard let entity = model.entity(named: name) else { return 0 }
    let family = model.family(of: entity).map(\.name)
    return entities.filter { family.contains($0.name) }.reduce(0) { $0 + $1.count }
  }
}

extension EntityRecipe {
  /// Whether any copy has its original's value of an attribute.
  fileprivate func isShared(_ attribute: String) -> Bool {
    duplicates?.key.contains(attribute) == true || sharesInCopies(attribute)
  }
}
