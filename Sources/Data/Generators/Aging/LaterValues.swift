import DataModel

/// The values that edits give to attributes: those of a dataset of another seed.
struct LaterValues {
  private let dataset: Dataset
  private let editable: [String: [String]]
  private let key: StreamKey

  /// `round` tells a second edit of the same object from the first.
  init(of recipe: Recipe, round: Int) {
    let rules = AgingRules(recipe: recipe)
    editable = recipe.entities.reduce(into: [:]) { $0[$1.name] = rules.editable($1) }
    key = StreamKey(seed: recipe.seed).derived("edit \(round)")
    var later = recipe
    var draws = key.draws(row: 0)
    later.seed = draws.next()
    // Only values are wanted.
    later.relationships = []
    for index in later.entities.indices {
      later.entities[index].duplicates = nil
      later.entities[index].defects = []
    }
    dataset = Dataset(later)
  }

  /// The attributes of an object in the order in which an edit tries them, with their new values.
  func values(of entity: String, row: Int) throws -> [(attribute: String, value: Value)] {
    let names = editable[entity] ?? []
    guard !names.isEmpty else { return [] }
    var draws = key.derived(entity).draws(row: row)
    let first = draws.below(names.count)
    return try names.indices.map { index in
      let name = names[(first + index) % names.count]
      return (name, try dataset.value(entity: entity, row: row, attribute: name))
    }
  }
}
