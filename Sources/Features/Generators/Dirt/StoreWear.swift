import DataModel

/// What a user's store has been through since it was made: edits and deletions, or defects.
///
/// A store is aged by saving its objects, and dirty ones cannot be saved: it is one or the other.
package struct StoreWear: Codable, Hashable, Sendable {
  /// The share of the objects that were edited.
  package var edits: Double
  /// The share of the objects that were deleted.
  package var deletes: Double
  /// Days of edits and deletions.
  package var days: Double
  /// The share of the objects that have each defect; 0 for a store without defects of its own.
  package var dirt: Double

  package init(edits: Double = 0, deletes: Double = 0, days: Double = 0, dirt: Double = 0) {
    self.edits = edits
    self.deletes = deletes
    self.days = days
    self.dirt = dirt
  }
}

extension Recipe {
  /// The recipe of a store with wear in place of the recipe's own.
  package func worn(by wear: StoreWear) -> Recipe {
    guard wear != StoreWear() else { return self }
    var recipe = self
    let described = Set(relationships.map { "\($0.entity).\($0.name)" })
    for index in recipe.entities.indices {
      let entity = recipe.entities[index]
      recipe.entities[index].defects = []
      guard wear.dirt > 0, let declared = model.entity(named: entity.name) else { continue }
      recipe.entities[index].defects =
        DefectRecipe.Reader(model: model, entity: declared, recipe: entity, described: described)
        .survivable(share: wear.dirt)
    }
    recipe.age =
      wear.edits + wear.deletes == 0
      ? nil
      : AgeRecipe(
        edits: wear.edits,
        deletes: wear.deletes,
        entities: [],
        objectsPerSave: 50,
        days: wear.days,
        vacuum: .never,
        walBytes: 0
      )
    return recipe
  }
}
