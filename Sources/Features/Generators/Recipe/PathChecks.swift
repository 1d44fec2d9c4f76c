import DataModel

/// Finds dependencies between attributes that no store can satisfy.
struct PathChecks {
  let model: Model
  let entities: [EntityRecipe]
  let relationships: [RelationshipRecipe]
  let report: (String, _ entity: String) -> Void

  func check() {
    for recipe in entities where recipe.count > 0 {
      checkCircle(recipe)
      checkDates(recipe)
      checkEdited(recipe)
    }
    for relationship in relationships { checkHours(relationship) }
  }

  private func checkCircle(_ recipe: EntityRecipe) {
    let dependencies = Dependencies(model: model, entities: entities)
    for attribute in recipe.attributes.keys.sorted() {
      let paths = recipe.attributes[attribute]?.rule.paths ?? []
      guard paths.contains(where: { $0.relationship != nil }),
        dependencies.isCircular(Dependencies.Node(entity: recipe.name, attribute: attribute))
      else { continue }
      report(
        "'\(attribute)' of \(recipe.name) depends on itself, through other objects; dates of a "
          + "tree fit with 'ordered: true', as parents come first",
        recipe.name
      )
    }
  }

  private func entity(_ name: String) -> EntityRecipe? { entities.first { $0.name == name } }

  /// Reports dates that must be within the recipe's period but follow a date that may be after it.
  private func checkDates(_ recipe: EntityRecipe) {
    for (name, described) in recipe.attributes.sorted(by: { $0.key < $1.key }) {
      guard let rule = described.rule as? LaterDateRule, rule.isWritten, !rule.isFuture else {
        continue
      }
      for path in rule.paths where latest(path, from: recipe) > rule.period.upperBound {
        report(
          "'\(name)' of \(recipe.name) cannot follow '\(path.text)', which may lie after the end of "
            + "the period, and lie within it; give it 'future: true'",
          recipe.name
        )
      }
    }
  }

  private func latest(_ path: AttributePath, from recipe: EntityRecipe) -> Double {
    let owners =
      path.relationship == nil
      ? [recipe] : model.targets(of: path, from: recipe.name).compactMap(entity)
    return owners.compactMap { owner in
      guard let rule = owner.attributes[path.attribute]?.rule else { return nil }
      if let later = rule as? LaterDateRule { return later.isFuture ? .infinity : nil }
      return rule.period(owner.attributes, depth: 0).upperBound
    }.max() ?? -.infinity
  }

  private func checkHours(_ relationship: RelationshipRecipe) {
    guard let hours = relationship.hours, let recipe = entity(relationship.entity) else { return }
    let chain = recipe.chain(to: hours.attribute).compactMap { recipe.attributes[$0] }
    guard chain.contains(where: { $0.rule.paths.contains { $0.relationship != nil } }) else {
      return
    }
    report(
      "'hours' of \(relationship.entity).\(relationship.name) cannot depend on "
        + "'\(hours.attribute)', which follows the target of a relationship",
      relationship.entity
    )
  }

  private func checkEdited(_ recipe: EntityRecipe) {
    guard let name = recipe.edited, let rule = recipe.attributes[name]?.rule,
      model.entity(named: recipe.name).map(model.attributes)?.contains(where: {
        $0.name == name && $0.type == .date
      }) == true, !(rule is LaterDateRule)
    else { return }
    report(
      "'edited' of \(recipe.name) needs a date that follows another: give '\(name)' a date 'after'",
      recipe.name
    )
  }
}
