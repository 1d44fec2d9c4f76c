/// An object by its entity and its key: what a to-one leads to.
package struct ContentReference: Hashable, Sendable, CustomStringConvertible {
  /// The entity's name; for a to-one without entity column the declared destination.
  package var entity: String
  /// The primary key, Z_PK.
  package var key: Int64

  package init(entity: String, key: Int64) {
    self.entity = entity
    self.key = key
  }

  package var description: String { "\(entity) \(key)" }
}
