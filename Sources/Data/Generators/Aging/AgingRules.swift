import DataModel

/// Which objects a model lets an app delete, and which attributes can be edited, without a look at
/// the rest of the store.
struct AgingRules {
  let recipe: Recipe

  /// Whether objects of an entity can be deleted whatever they are related to.
  func canDelete(_ entity: String) -> Bool {
    canDelete(entity, passed: [])
  }

  private func canDelete(_ name: String, passed: Set<String>) -> Bool {
    // What a cascade has reached already is judged where it was met first.
    guard !passed.contains(name), let entity = recipe.model.entity(named: name) else { return true }
    let passed = passed.union([name])
    return recipe.model.lineage(of: entity).flatMap(\.relationships).allSatisfy { relationship in
      switch relationship.deleteRule {
      case .deny, .noAction: return false
      case .nullify:
        guard let inverse = recipe.model.inverse(of: relationship) else { return true }
        return inverse.isOptional || inverse.isToMany
      case .cascade:
        guard let target = recipe.model.entity(named: relationship.destination) else {
          return false
        }
        return recipe.model.family(of: target).allSatisfy { canDelete($0.name, passed: passed) }
      }
    }
  }

  /// The attributes of an entity that get another value in an edit.
  ///
  /// Not what identifies an object, what other attributes follow or depend on, and no blobs.
  func editable(_ recipe: EntityRecipe) -> [String] {
    guard let entity = self.recipe.model.entity(named: recipe.name) else { return [] }
    let unique = self.recipe.model.lineage(of: entity).flatMap(\.uniquenessConstraints).joined()
    let followed = recipe.attributes.values.flatMap(\.bases)
    let fixed = Set(unique).union(followed).union(recipe.duplicates?.key ?? [])
    return self.recipe.model.attributes(of: entity)
      .filter { !$0.isTransient && $0.derivation == nil && !fixed.contains($0.name) }
      .filter { attribute in
        guard let described = recipe.attributes[attribute.name] else { return false }
        return described.isEditable
      }
      .map(\.name)
  }
}

extension AttributeRecipe {
  /// Whether a value can be drawn anew for one object alone.
  fileprivate var isEditable: Bool {
    guard !isDistinct, condition == nil else { return false }
    return switch generator {
    case .constant, .blob, .file, .fileSize, .laterDate, .uuid: false
    default: true
    }
  }
}
