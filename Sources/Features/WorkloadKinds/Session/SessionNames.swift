import DataModel
import PersistentStore

/// The attributes of an entity that a session can search and edit.
struct SessionNames {
  private let entity: Entity
  private let model: Model
  private let sorted: Set<String>

  init(_ entity: Entity, _ model: Model, sorted: Set<String>) {
    self.entity = entity
    self.model = model
    self.sorted = sorted
  }

  private var attributes: [Attribute] {
    model.attributes(of: entity).filter { !$0.isTransient && $0.derivation == nil }
  }

  /// The first text.
  var searched: String? { attributes.first { $0.type == .string }?.name }

  /// The first text, or the first whole number, whose change leaves the list and what is found as
  /// they are.
  func edited(besides searched: String) -> String? {
    let usable = attributes.filter { obstacle(to: $0, searched) == nil }
    return (usable.first { $0.type == .string } ?? usable.first)?.name
  }

  func checkSearched(_ name: String) throws {
    let attribute = try model.storedAttribute(name, of: entity)
    guard attribute.type == .string else { throw SessionError.notText(name) }
  }

  func checkEdited(_ name: String, besides searched: String) throws {
    let attribute = try model.storedAttribute(name, of: entity)
    if let obstacle = obstacle(to: attribute, searched) { throw obstacle }
  }

  /// Why an attribute cannot be edited.
  private func obstacle(to attribute: Attribute, _ searched: String) -> SessionError? {
    let name = attribute.name
    if attribute.derivation != nil { return .derived(name) }
    guard [.string, .integer16, .integer32, .integer64].contains(attribute.type) else {
      return .notEditable(name)
    }
    if name == searched || sorted.contains(name) { return .inUse(name) }
    let lineage = model.lineage(of: entity)
    if lineage.contains(where: { $0.uniquenessConstraints.joined().contains(name) }) {
      return .unique(name)
    }
    let derivations = model.entities.flatMap(\.attributes).compactMap(\.derivation)
    return derivations.contains { $0.contains(name) } ? .derivedFrom(name) : nil
  }
}

/// Why a session does not fit the store it is to run on.
enum SessionError: Error, Hashable, CustomStringConvertible {
  case toMany(String)
  case notText(String)
  case notEditable(String)
  case inUse(String)
  case unique(String)
  case derived(String)
  case derivedFrom(String)
  case nothingToSearch(entity: String)
  case nothingToEdit(entity: String)

  var description: String {
    switch self {
    case .toMany(let name): "'\(name)' is a to-many, and a row shows a to-one: name one of those"
    case .notText(let name): "'\(name)' is no text: name an attribute of type string"
    case .notEditable(let name):
      "'\(name)' is no text and no whole number: name an attribute of type string or integer"
    case .inUse(let name):
      "'\(name)' is searched or orders the list, so that editing it changes what is shown: name "
        + "another attribute"
    case .unique(let name): "'\(name)' must be unique, and edits set equal values: name another one"
    case .derived(let name): "'\(name)' is derived from other values: name another attribute"
    case .derivedFrom(let name):
      "a derived attribute follows from '\(name)': name another attribute"
    case .nothingToSearch(let entity):
      "'\(entity)' has no text to search: leave 'search' out of the actions"
    case .nothingToEdit(let entity):
      "'\(entity)' has no text or whole number to edit besides those that order the list or are "
        + "searched: leave 'edit' out of the actions"
    }
  }
}
