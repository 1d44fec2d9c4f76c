/// Why a migration case cannot be run on a store.
enum MigrationCaseError: Error, Equatable, CustomStringConvertible {
  case noModel(path: String, count: Int)
  case noAttribute(entity: String, attribute: String, transformation: String)
  case nothingToMerge(to: String)
  case newAttributeUnique(entity: String, attribute: String)
  case mixedDuplicates(UniqueConstraint)
  case damagedExport(path: String, line: Int)

  var description: String {
    switch self {
    case .noModel(let path, let count):
      "'\(path)' holds \(count) versions of a model, and a migration needs one; name one of them"
    case .noAttribute(let entity, let attribute, let transformation):
      "no attribute '\(attribute)' of '\(entity)' that the transformation '\(transformation)' "
        + "fits; name one that is in both models"
    case .nothingToMerge(let to):
      "the model '\(to)' has no unique constraint that the store's model has not; "
        + "set 'duplicates' to 'ignored'"
    case .newAttributeUnique(let entity, let attribute):
      "\(entity): '\(attribute)' is new and unique, so that no objects can be told apart by it"
    case .mixedDuplicates(let constraint):
      "\(constraint.entity): objects of different sub-entities have equal values of "
        + "\(constraint.attributes.map { "'\($0)'" }.joined(separator: ", ")), "
        + "and none of them can take the other's place; delete one of each pair first"
    case .damagedExport(let path, let line): "'\(path)' is damaged at object \(line)"
    }
  }
}
