import Basics
import DataModel
import PersistentStore

/// A key of a sort order, such as `name`, `-folder.name` or `title localizedStandard`.
struct SortKey {
  /// The key as written, without the minus sign.
  let text: String
  /// An attribute's name, or a key path that leads to an attribute through to-one relationships.
  let property: String
  let isDescending: Bool
  let collation: FrameworkFunctions.Collation

  /// Reads a key; strings are compared by `collation` unless the key names another collation.
  init(_ key: String, collation: FrameworkFunctions.Collation = .binary) {
    isDescending = key.hasPrefix("-")
    text = isDescending ? String(key.dropFirst()) : key
    let words = text.split(separator: " ")
    let own = words.count == 2 ? FrameworkFunctions.Collation(rawValue: String(words[1])) : nil
    property = own == nil ? text : String(words[0])
    self.collation = own ?? collation
  }

  /// Whether the key leads to another object's attribute.
  var isPath: Bool { property.contains(".") }
}

extension Model {
  /// Checks that the objects of an entity can be sorted by a key.
  ///
  /// - Throws: ``Refusal`` if the entity has no such attribute, or the key names a collation for an
  ///   attribute that is not a string.
  func check(_ key: SortKey, of entity: Entity) throws {
    let (owner, last) = try end(of: key.property, from: entity) { _ in
      "sort by what each object has once"
    }
    if let found = relationships(of: owner).first(where: { $0.name == last }), !found.isToMany {
      throw Refusal.badInput(
        "'\(key.property)' is a relationship: sort by an attribute of '\(found.destination)', as "
          + "in '\(key.property).NAME'"
      )
    }
    let attribute = try storedAttribute(last, of: owner)
    guard key.text == key.property || attribute.type == .string else {
      throw Refusal.badInput(
        "'\(key.property)' is no text: leave out '\(key.collation.rawValue)'"
      )
    }
  }
}
