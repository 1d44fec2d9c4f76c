import DataModel
import Profiling

/// Makes the recipe of a profile file, which stands for a store of that shape.
struct ProfiledRecipe {
  let path: String
  let options: RecipeFile.Options

  /// The recipe, or `nil` after reporting what is wrong with the profile.
  ///
  /// - Throws: ``GeneratorsError`` for counts that are asked of entities it does not have.
  func recipe(_ value: YAMLValue) throws -> Recipe? {
    guard let profile = ProfileFile.profile(value) else { return nil }
    if options.model != nil { value.report("a profile has a model of its own; leave out 'model'") }
    var recipe = LikeRecipe(profile).recipe(
      name: RecipeReader.stem(of: path),
      seed: options.seed ?? 1
    )
    if let flavour = options.flavour { recipe.flavour = flavour }
    try setCounts(of: &recipe)
    return recipe
  }

  private func setCounts(of recipe: inout Recipe) throws {
    let names = recipe.entities.map(\.name)
    if let unknown = options.objects.keys.sorted().first(where: { !names.contains($0) }) {
      throw GeneratorsError.unknownEntity(
        name: unknown,
        recipe: path,
        suggestion: suggestion(for: unknown, among: names)
      )
    }
    let entries = recipe.entities.map {
      ObjectCounts.Entry(entity: $0.name, count: $0.count, isFixed: false)
    }
    for (index, count) in ObjectCounts(entries: entries).scaled(to: options.objects).enumerated() {
      recipe.entities[index].count = count
    }
  }
}
