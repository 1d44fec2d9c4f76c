import Generators

/// The bundled recipe of a to-do app, in the size that is asked for.
enum BenchRecipe {
  static let path = "Workloads/recipes/tasks.yaml"

  static func read(tasks: Int) throws -> Recipe {
    try RecipeFile.read(path: path, options: RecipeFile.Options(objects: ["Task": tasks]))
  }
}
