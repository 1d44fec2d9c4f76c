import PersistentStore

/// What a case read, in order: the keys, and digests of all values.
///
/// It is kept while the time runs, 8 bytes an object: where two objects sort alike, only their
/// keys tell which of them was read.
struct ReadLog {
  /// The objects that the fetch found.
  var fetched = 0
  private(set) var keys: [Int64] = []
  private(set) var objects = ListDigest()
  private(set) var links = ListDigest()

  /// Adds the digest of an object.
  @inline(__always)
  mutating func add(_ key: Int64, _ object: UInt64) {
    keys.append(key)
    objects.add(object)
  }

  /// Adds the digest of what an object's relationship led to.
  @inline(__always)
  mutating func add(link: UInt64) {
    links.add(link)
  }
}
