import DataModel
import Foundation
import Generators
import PersistentStore

/// Where the store of a workload comes from.
package enum StoreSource: Hashable, Sendable {
  /// A recipe, named as the workload file names it.
  case recipe(name: String, RecipeReference)
  /// A store made elsewhere, copied before it is opened.
  case file(path: String)
}

/// A recipe file with what a workload file sets in place of its own values.
package struct RecipeReference: Codable, Hashable, Sendable {
  /// The recipe's path, not relative to the workloads folder any more.
  package var path: String
  /// Counts by entity name.
  package var objects: [String: Int]
  package var seed: UInt64?
  /// A model file's path: another version of the recipe's model.
  package var model: String?
  package var flavour: Flavour?

  package init(
    path: String,
    objects: [String: Int] = [:],
    seed: UInt64? = nil,
    model: String? = nil,
    flavour: Flavour? = nil
  ) {
    self.path = path
    self.objects = objects
    self.seed = seed
    self.model = model
    self.flavour = flavour
  }

  /// The recipe with every default filled in, from which every value can be made again.
  ///
  /// - Throws: ``GeneratorsError`` and ``DataModelError``.
  package func read() throws -> Recipe {
    try RecipeFile.read(
      path: path,
      options: RecipeFile.Options(seed: seed, objects: objects, model: model, flavour: flavour)
    )
  }
}

/// Reads recipes, each once however many workload files name it.
final class RecipeReader {
  private var known: [RecipeReference: Result<Recipe, any Error>] = [:]

  func read(_ reference: RecipeReference) throws -> Recipe {
    if let known = known[reference] { return try known.get() }
    let result = Result { try reference.read() }
    known[reference] = result
    return try result.get()
  }
}
