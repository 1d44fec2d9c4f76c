/// One numbered version of a model (`VersionedSchema`).
package struct VersionedSchema: Hashable, Sendable {
  /// The version's short name in a family of versions, such as `v2`.
  package var name: String
  package var model: Model

  package init(name: String, model: Model) {
    self.name = name
    self.model = model
  }
}
