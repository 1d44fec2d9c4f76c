import DataModel

/// Why a store cannot be migrated, found before anything is touched.
package enum MigrationError: Error, Equatable, CustomStringConvertible {
  case notLightweight([MigrationObstacle])
  /// A new one-to-one inverse, whose keys would have to be found from the other side.
  case unsupportedInverse(entity: String, relationship: String)
  case invalidModel([String])

  package var description: String {
    switch self {
    case .notLightweight(let obstacles):
      "no lightweight migration can be inferred: "
        + obstacles.map(\.description).joined(separator: "; ")
    case .unsupportedInverse(let entity, let relationship):
      "\(entity): '\(relationship)' is a new one-to-one inverse of a relationship that is there; "
        + "set it in a custom stage"
    case .invalidModel(let problems):
      "the model to migrate to is invalid: " + problems.joined(separator: "; ")
    }
  }
}
