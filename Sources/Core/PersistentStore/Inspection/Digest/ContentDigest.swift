import Basics

/// The digest of a store's content, part by part: equal where two stores hold the same objects.
package struct ContentDigest: Hashable, Sendable {
  /// The digest of an entity's objects, of a many-to-many relationship, or of an order.
  package struct Part: Hashable, Sendable {
    /// `Task`, `Tag.tasks`, or `Subtask.task.order`.
    package let name: String
    /// The number of objects, pairs or positions.
    package let count: Int64
    /// 32 hexadecimal digits, whatever the order of the objects.
    package let digest: String
  }

  /// In the byte order of their names; nothing that is empty.
  package let parts: [Part]

  init(parts: [String: ListDigest]) {
    self.parts = parts.filter { $0.value.count > 0 }
      .map { Part(name: $0.key, count: $0.value.count, digest: $0.value.unordered) }
      .sorted(byBytesOf: \.name)
  }

  /// The digest of everything, 32 hexadecimal digits.
  package var total: String {
    var total = ListDigest()
    for part in parts {
      var digest = ObjectDigest(ObjectDigest.Shape(entity: part.name, properties: []))
      digest.add(part.count)
      digest.add(part.digest)
      total.add(digest.value)
    }
    return total.unordered
  }
}

extension StoreContent {
  /// The digest of everything in the store.
  ///
  /// With `content` it keeps 26 bytes for each object; otherwise nothing grows with the
  /// store.
  package func digest(_ options: DigestOptions = .keys()) throws -> ContentDigest {
    switch options {
    case .keys(let countsVersions):
      try ContentDigest.Keyed(content: self, countsVersions: countsVersions).digest()
    case .content: try ContentDigest.Keyless(content: self).digest()
    }
  }

  func cursor(_ shape: ObjectDigest.Shape, condition: String) throws -> ContentCursor {
    let known = try self.shape(of: shape.entity)
    for property in shape.properties where known.index(of: property) == nil {
      throw Refusal.unknownProperty(property, entity: shape.entity)
    }
    return try ContentCursor(
      self,
      table: table(of: shape.entity),
      properties: Set(shape.properties),
      condition: condition
    )
  }
}

/// How a digest distinguishes the objects of a store.
///
/// Never the place of a blob, the number of an entity, or the name and order of columns.
package enum DigestOptions: Hashable, Sendable {
  /// By their primary keys; the optimistic-lock counters, Z_OPT, may count as well.
  case keys(countsVersions: Bool = false)
  /// By their content and that of the objects around them: for copies that number anew.
  case content
}

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
  package func lookup(_ shape: ObjectDigest.Shape) throws -> ContentLookup {
    try ContentLookup(self, shape: shape)
  }
}
