import Basics
import DataModel

extension Refusal {
  /// Objects of an entity were asked for that the model does not have.
  static func unknownEntity(name: String, recipe: String, suggestion: String?) -> Refusal {
    Refusal.badInput(
      "the model of recipe '\(recipe)' has no entity '\(name)'"
        + (suggestion.map { "; did you mean '\($0)'?" } ?? "")
    )
  }

  /// The model, with what was asked for beyond the recipe, has no such attribute.
  static func unknownProperty(entity: String, property: String) -> Refusal {
    Refusal.badInput("entity '\(entity)' has no generated property '\(property)'")
  }

  /// A part of the layout that the bulk writer does not know.
  static func unknownStatement(_ statement: String) -> Refusal {
    Refusal.badInput("the bulk writer cannot make '\(statement)'; use '--writer sql'")
  }
}
/// The bounds of what can be generated.
enum Limits {
  /// The most objects of an entity and the most rows of a table, so that places fit in 32 bits.
  static let mostObjects = 1_000_000_000
}
