/// Why a lightweight migration cannot be inferred between two models.
package enum MigrationObstacle: Hashable, Sendable {
  /// Values of the one type do not become values of the other by themselves.
  case retyped(entity: String, attribute: String, from: AttributeType, to: AttributeType)
  case requiredWithoutDefault(entity: String, attribute: String)
  case requiredRelationship(entity: String, relationship: String)
  case toManyMadeToOne(entity: String, relationship: String)
  case retargeted(entity: String, relationship: String, from: String, to: String)
  /// Entities whose objects lay in several tables would have to share one, and its keys.
  case hierarchiesMerged(into: String, roots: [String])
  /// Several entities or properties claim to be the successor of one.
  case ambiguous(place: String, former: String, successors: [String])
  /// Files of external storage would have to be read back into the rows.
  case externalStorageGivenUp(entity: String, attribute: String)
}

extension MigrationObstacle: CustomStringConvertible {
  package var description: String {
    switch self {
    case .retyped(let entity, let name, let former, let type):
      "\(entity): '\(name)' cannot turn from \(former.name) into \(type.name) by itself; "
        + "use a custom stage"
    case .requiredWithoutDefault(let entity, let name):
      "\(entity): '\(name)' is required and has no default for the objects that are there; "
        + "give it a default or make it optional"
    case .requiredRelationship(let entity, let name):
      "\(entity): relationship '\(name)' is required, and the objects that are there have none; "
        + "make it optional"
    case .toManyMadeToOne(let entity, let name):
      "\(entity): relationship '\(name)' cannot turn from to-many to to-one by itself; "
        + "use a custom stage"
    case .retargeted(let entity, let name, let former, let target):
      "\(entity): relationship '\(name)' cannot lead to \(target) where it led to \(former); "
        + "use a custom stage"
    case .hierarchiesMerged(let root, let roots):
      "entities below \(roots.joined(separator: " and ")) cannot move below one entity, \(root)"
    case .ambiguous(let place, let former, let successors):
      "\(place): \(successors.joined(separator: " and ")) all claim to be the former '\(former)'; "
        + "correct their renaming identifiers"
    case .externalStorageGivenUp(let entity, let name):
      "\(entity): '\(name)' cannot leave external storage by itself; use a custom stage"
    }
  }
}
