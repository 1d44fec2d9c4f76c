/// Why a fetch case does not fit the store it is to run on.
enum FetchError: Error, Hashable, CustomStringConvertible {
  case unknownEntity(String, candidates: [String])
  case unknownAttribute(String, entity: String, candidates: [String])
  case unknownRelationship(String, entity: String, candidates: [String])
  /// A predicate's value that the attribute's type has not.
  case wrongValue(attribute: String, type: String, value: String)
  case notToMany(String, entity: String)
  case toManyCompared(String)
  /// A relationship is to be touched, and the entity has none.
  case noRelationship(entity: String)
  /// No entity has an object.
  case emptyStore
  case noObjects(entity: String)
  /// There is no record type for the entity as the store's model has it.
  case noRecordType(entity: String)

  var description: String {
    switch self {
    case .unknownEntity(let name, let candidates):
      "the store has no entity '\(name)'" + nameHint(name, among: candidates)
    case .unknownAttribute(let name, let entity, let candidates):
      "the entity '\(entity)' keeps no attribute '\(name)'" + nameHint(name, among: candidates)
    case .unknownRelationship(let name, let entity, let candidates):
      "the entity '\(entity)' keeps no relationship '\(name)'" + nameHint(name, among: candidates)
    case .wrongValue(let attribute, let type, let value):
      "'\(attribute)' is of type \(type) and cannot be compared with '\(value)'"
    case .notToMany(let name, let entity):
      "'\(name)' of '\(entity)' is a to-one, which has no count: compare it with nil"
    case .toManyCompared(let name):
      "'\(name)' is a to-many and has no value: compare '\(name).@count' with a number"
    case .noRelationship(let entity):
      "the entity '\(entity)' has no relationship to touch: set 'touchedShare' to 0"
    case .emptyStore: "no entity has an object: there is nothing to fetch"
    case .noObjects(let entity): "the store has no objects of '\(entity)' to fetch"
    case .noRecordType(let entity):
      "the engine 'grdb' has record types for the bundled tasks models only, and '\(entity)' is "
        + "none of theirs: use 'objectGraph' or 'bareSQL'"
    }
  }
}
