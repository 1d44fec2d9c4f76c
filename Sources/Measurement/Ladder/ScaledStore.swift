import Generators
import Runner

/// The store of a workload in any size: a recipe whose objects are asked for in proportion.
package struct ScaledStore: Sendable {
  private let name: String
  private let reference: RecipeReference
  /// The objects that are asked for by entity, at the recipe's own size.
  private let asked: [String: Int]

  /// Takes the recipe of a store.
  ///
  /// - Throws: what reading it throws, and ``LadderError/emptyRecipe(path:)``.
  package init(name: String, _ reference: RecipeReference) throws {
    self.name = name
    self.reference = reference
    let recipe = try reference.read()
    guard let largest = recipe.entities.max(by: { $0.count < $1.count }), largest.count > 0 else {
      throw LadderError.emptyRecipe(path: reference.path)
    }
    asked =
      reference.objects.filter { $0.value > 0 }.isEmpty
      ? [largest.name: largest.count] : reference.objects
  }

  /// The store with about so many objects of all entities together.
  ///
  /// - Throws: what reading the recipe throws.
  package func source(objects: Int) throws -> StoreSource {
    var factor = 1.0
    // Some entities keep their number, and small ones are rounded: a few steps come near enough.
    for _ in 0..<4 {
      let count = try Self.total(of: scaled(by: factor).read())
      factor = max(factor * Double(objects) / Double(max(count, 1)), 1e-9)
    }
    return .recipe(name: name, scaled(by: factor))
  }

  /// The objects of each entity of such a store.
  ///
  /// - Throws: what reading the recipe throws.
  package func counts(objects: Int) throws -> [String: Int] {
    guard case .recipe(_, let reference) = try source(objects: objects) else { return [:] }
    let entities = try reference.read().entities.map { ($0.name, $0.count) }
    return Dictionary(entities) { $0 + $1 }
  }

  private func scaled(by factor: Double) -> RecipeReference {
    var scaled = reference
    scaled.objects = asked.mapValues { count in
      Int(min((Double(count) * factor).rounded(), 1e9))
    }
    return scaled
  }

  private static func total(of recipe: Recipe) -> Int {
    recipe.entities.reduce(0) { $0 + $1.count }
  }
}
