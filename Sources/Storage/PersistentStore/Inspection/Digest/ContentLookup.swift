/// Digests objects of a store one at a time, by their keys and by plain SQL.
package final class ContentLookup {
  private let shape: ObjectDigest.Shape
  private let cursor: ContentCursor

  init(_ content: StoreContent, shape: ObjectDigest.Shape) throws {
    self.shape = shape
    cursor = try content.cursor(
      shape,
      condition: "t.Z_PK = ?1 AND \(content.familyCondition(of: shape.entity))"
    )
  }

  /// The digest of the object under a key; `nil` where the entity has none.
  package func digest(of key: Int64) throws -> UInt64? {
    cursor.start(at: key)
    return try cursor.nextDigest(shape)
  }
}

extension StoreContent {
  /// What digests objects of a shape by their keys.
  ///
  /// - Throws: ``InspectionError/unknownProperty(_:entity:)``.
  package func lookup(_ shape: ObjectDigest.Shape) throws -> ContentLookup {
    try ContentLookup(self, shape: shape)
  }
}
