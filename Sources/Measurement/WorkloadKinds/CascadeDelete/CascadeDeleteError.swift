/// Why objects cannot be deleted the way a case asks for.
enum CascadeDeleteError: Error, Equatable, CustomStringConvertible {
  case unknownEntity(String, known: [String])
  case noCascade
  case noObjects(entity: String)
  /// A relationship denies the deletion while it leads somewhere.
  case denied(relationship: String)
  /// No FOREIGN KEY clause says what a relationship's rule says.
  case notExpressible(relationship: String)
  /// A cascade of a one-to-one whose other side leads elsewhere for some objects.
  case oneSided(relationship: String)
  /// What a relationship no longer leads to cannot be told from what it never led to.
  case noOrphans(relationship: String)

  var description: String {
    switch self {
    case .unknownEntity(let name, let known):
      "the store has no entity '\(name)'" + nameHint(name, among: known)
    case .noCascade: "no relationship cascades from objects that the store has"
    case .noObjects(let entity): "the store has no objects of '\(entity)' to delete"
    case .denied(let relationship):
      "the objects cannot be deleted: the delete rule of '\(relationship)' is deny"
    case .notExpressible(let relationship):
      "the cascade along '\(relationship)' cannot be a FOREIGN KEY clause: it has no inverse to-one"
    case .oneSided(let relationship):
      "the cascade along '\(relationship)' cannot be followed by its inverse, which does not lead "
        + "back from all objects of this store"
    case .noOrphans(let relationship):
      "orphans of '\(relationship)' cannot be found: it has no inverse to-one"
    }
  }
}
