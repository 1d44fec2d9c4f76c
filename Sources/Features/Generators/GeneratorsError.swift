import Basics
import DataModel

extension Refusal {
  static func unknownEntity(name: String, recipe: String, suggestion: String?) -> Refusal {
    Refusal.badInput(
      "the model of recipe '\(recipe)' has no entity '\(name)'"
        + (suggestion.map { "; did you mean '\($0)'?" } ?? "")
    )
  }

  static func unknownProperty(entity: String, property: String) -> Refusal {
    Refusal.badInput("entity '\(entity)' has no generated property '\(property)'")
  }

  static func unknownStatement(_ statement: String) -> Refusal {
    Refusal.badInput("the bulk writer cannot make '\(statement)'; use '--writer sql'")
  }
}
enum Limits {
  /// The maximum number of objects per entity and of rows per table, so that row numbers fit in 32
  /// bits.
  static let mostObjects = 1_000_000_000
}
