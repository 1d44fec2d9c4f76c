/// The objects of a context by identity, without keeping any of them alive.
///
/// An object takes itself out when it goes away.
struct IdentityMap {
  /// One dictionary a root entity, since primary keys are unique below it.
  private var objects: [[Int64: Unmanaged<ManagedObject>]]

  init(entityCount: Int) {
    objects = Array(repeating: [:], count: entityCount + 1)
  }

  func object(root: Int, key: Int64) -> ManagedObject? {
    objects[root][key]?.takeUnretainedValue()
  }

  mutating func insert(_ object: ManagedObject) {
    objects[object.description.root][object.key] = .passUnretained(object)
    object.flags.insert(.registered)
  }

  mutating func reserve(root: Int, count: Int) {
    objects[root].reserveCapacity(objects[root].count + count)
  }

  mutating func remove(root: Int, key: Int64, object: ManagedObject) {
    objects[root].removeValue(forKey: key)
  }
}
