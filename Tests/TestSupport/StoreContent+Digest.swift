import PersistentStore

extension StoreContent {
  /// The digest of an entity's objects with these keys, in this order; by default, of all objects.
  package func digest(_ shape: ObjectDigest.Shape, keys: [Int64]? = nil) throws -> ListDigest {
    let lookup = try lookup(shape)
    var list = ListDigest()
    for key in try keys ?? self.keys(of: shape.entity) {
      if let digest = try lookup.digest(of: key) { list.add(digest) }
    }
    return list
  }

  private func keys(of entity: String) throws -> [Int64] {
    let cursor = try objects(of: entity)
    var keys: [Int64] = []
    while let object = try cursor.next() { keys.append(object.key) }
    return keys
  }
}
