/// Data in a store that a migration to the other model would fail on.
package struct DataObstacle: Hashable, Encodable, Sendable {
  package enum Kind: String, Encodable, Sendable {
    /// Objects that share what is to be unique.
    case duplicates
    /// Objects without a value that is to be required.
    case missingValues
  }

  package let kind: Kind
  package let entity: String
  package let properties: [String]
  /// How many objects are in the way.
  package let count: Int64

  /// One sentence: what is in the way and what to do.
  package var sentence: String {
    let names = properties.joined(separator: " + ")
    switch kind {
    case .duplicates:
      return "\(entity): \(count) objects share their \(names), which becomes unique; "
        + "remove the duplicates first"
    case .missingValues:
      return "\(entity): \(count) objects have no \(names), which becomes required; "
        + "give it a default or fill it in first"
    }
  }
}
