/// An attribute by which an app keeps blobs as files of its own: it holds a path below the store's
/// files folder.
package struct PathAttribute: Hashable, Sendable {
  /// The entity that declares the attribute.
  package let entity: String
  package let attribute: String

  package init(entity: String, attribute: String) {
    self.entity = entity
    self.attribute = attribute
  }
}
