import Basics
import DataModel
import PersistentStore

struct SessionNames {
  let entity: Entity
  let model: Model
  let sorted: Set<String>

  private var attributes: [Attribute] {
    model.attributes(of: entity).filter { !$0.isTransient && $0.derivation == nil }
  }

  var searched: String? { attributes.first { $0.type == .string }?.name }

  /// The default attribute to edit.
  ///
  /// It is the first string attribute or, if there is none, the first integer attribute. It affects
  /// neither the list's order nor the search results.
  func edited(besides searched: String) -> String? {
    let usable = attributes.filter { obstacle(to: $0, searched) == nil }
    return (usable.first { $0.type == .string } ?? usable.first)?.name
  }

  func checkSearched(_ name: String) throws {
    let attribute = try model.storedAttribute(name, of: entity)
    guard attribute.type == .string else {
      throw Refusal.badInput("'\(name)' is no text: name an attribute of type string")
    }
  }

  func checkEdited(_ name: String, besides searched: String) throws {
    let attribute = try model.storedAttribute(name, of: entity)
    if let obstacle = obstacle(to: attribute, searched) { throw obstacle }
  }

  /// The reason why an attribute cannot be edited; `nil` if it can.
  private func obstacle(to attribute: Attribute, _ searched: String) -> Refusal? {
    let name = attribute.name
    if attribute.derivation != nil {
      return .badInput("'\(name)' is derived from other values: name another attribute")
    }
    guard [.string, .integer16, .integer32, .integer64].contains(attribute.type) else {
      return .badInput(
        "'\(name)' is no text and no whole number: name an attribute of type string or integer"
      )
    }
    if name == searched || sorted.contains(name) {
      return .badInput(
        "'\(name)' is searched or orders the list, so that editing it changes what is shown: name "
          + "another attribute"
      )
    }
    let lineage = model.lineage(of: entity)
    if lineage.contains(where: { $0.uniquenessConstraints.joined().contains(name) }) {
      return .badInput("'\(name)' must be unique, and edits set equal values: name another one")
    }
    let derivations = model.entities.flatMap(\.attributes).compactMap(\.derivation)
    return derivations.contains { $0.contains(name) }
      ? .badInput("a derived attribute follows from '\(name)': name another attribute") : nil
  }
}
