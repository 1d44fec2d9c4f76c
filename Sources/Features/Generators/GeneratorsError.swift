import DataModel

/// Why a store could not be made.
package enum GeneratorsError: Error, Equatable {
  /// Problems of a recipe and its model, at least one of them an error.
  case invalidRecipe([Diagnostic])
  /// Objects of an entity were asked for that the model does not have.
  case unknownEntity(name: String, recipe: String, suggestion: String?)
  /// Objects of an entity were asked for that has none of its own.
  case abstractEntity(name: String)
  case invalidCount(entity: String, count: Int)
  /// The model, with what was asked for beyond the recipe, has no such attribute.
  case unknownProperty(entity: String, property: String)
  /// No one version in a `VersionInfo.plist` has the model's entities.
  case noVersionHashes(path: String)
  case exists(path: String)
  case cannotWrite(path: String, reason: String)
  /// A part of the layout that the bulk writer does not know.
  case unknownStatement(String)
}

extension GeneratorsError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .invalidRecipe(let diagnostics):
      diagnostics.map(\.description).joined(separator: "\n")
    case .unknownEntity(let name, let recipe, let suggestion):
      "the model of recipe '\(recipe)' has no entity '\(name)'"
        + (suggestion.map { "; did you mean '\($0)'?" } ?? "")
    case .abstractEntity(let name):
      "entity '\(name)' is abstract and has no objects; name one of its sub-entities"
    case .invalidCount(let entity, let count):
      "cannot make \(count) objects of '\(entity)': use a number from 0 to \(Limits.mostObjects)"
    case .unknownProperty(let entity, let property):
      "entity '\(entity)' has no generated property '\(property)'"
    case .noVersionHashes(let path):
      "'\(path)' must contain exactly one version with the entities of the recipe's model"
    case .exists(let path): "there is a file at '\(path)' already; choose another name"
    case .cannotWrite(let path, let reason): "cannot write '\(path)': \(reason)"
    case .unknownStatement(let statement):
      "the bulk writer cannot make '\(statement)'; use '--writer sql'"
    }
  }
}

/// The bounds of what can be generated.
enum Limits {
  /// The most objects of an entity and the most rows of a table, so that places fit in 32 bits.
  static let mostObjects = 1_000_000_000
}
