import Basics

/// The digest of a store's content, in parts; equal for stores with the same objects.
package struct ContentDigest: Hashable, Sendable {
  /// The digest of an entity's objects, a many-to-many relationship, or the positions in an ordered
  /// one.
  package struct Part: Hashable, Sendable {
    /// The name of the part, such as `Task`, `Tag.tasks`, or `Subtask.task.order`.
    package let name: String
    /// The number of objects, pairs or positions.
    package let count: Int64
    /// A digest of 32 hexadecimal digits, independent of the order of the objects.
    package let digest: String
  }

  /// The parts that are not empty, sorted by the bytes of their names.
  package let parts: [Part]

  init(parts: [String: ListDigest]) {
    self.parts = parts.filter { $0.value.count > 0 }
      .map { Part(name: $0.key, count: $0.value.count, digest: $0.value.unordered) }
      .sorted(byBytesOf: \.name)
  }

  /// The digest of all parts, with 32 hexadecimal digits.
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
  /// Returns the digest of the store's content.
  ///
  /// With `content`, it uses 26 bytes of memory per object; otherwise memory use does not grow with
  /// the store.
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

/// How a digest identifies the objects of a store.
///
/// No digest depends on where a blob is stored, on entity numbers, or on the names and order of
/// columns.
package enum DigestOptions: Hashable, Sendable {
  /// Identifies objects by primary key; optionally includes the optimistic-lock counters, Z_OPT.
  case keys(countsVersions: Bool = false)
  /// Identifies objects by their own content and the content of related objects, for copies with
  /// new keys.
  case content
}

/// Computes the digests of single objects by key, using SQL.
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

  /// Returns the digest of the object with a key, if there is one.
  package func digest(of key: Int64) throws -> UInt64? {
    cursor.start(at: key)
    return try cursor.nextDigest(shape)
  }
}

extension StoreContent {
  /// Returns a lookup of digests by key, for objects of the entity that `shape` names.
  package func lookup(_ shape: ObjectDigest.Shape) throws -> ContentLookup {
    try ContentLookup(self, shape: shape)
  }
}
