/// Maps the keys of the original store's objects to their keys in a new store.
package struct ContentKeyMap: Sendable {
  private var keys: [String: [Int64: Int64]] = [:]
  /// The objects of the original store without a counterpart in the new store.
  package private(set) var unmatched: [ContentReference] = []

  /// Matches objects by the value of one attribute; objects with the same value are matched in key
  /// order.
  ///
  /// `identities` contains the identifying attribute of each entity; objects of entities that it
  /// omits are matched in key order.
  package init(
    from expected: ExpectedContent,
    to actual: StoreContent,
    identities: [String: String]
  ) throws {
    for table in actual.layout.tables {
      var waiting: [UInt64: (keys: [Int64], next: Int)] = [:]
      let cursor = try actual.objects(in: table)
      while let object = try cursor.next() {
        waiting[Self.identity(of: object, identities), default: ([], 0)].keys.append(object.key)
      }
      let stream = try expected.objects(in: table)
      var map: [Int64: Int64] = [:]
      while let object = try stream.next() {
        let identity = Self.identity(of: object, identities)
        guard let (keys, next) = waiting[identity], next < keys.count else {
          unmatched.append(object.reference)
          continue
        }
        map[object.key] = keys[next]
        waiting[identity]?.next += 1
      }
      keys[table.name] = map
    }
  }

  private static func identity(of object: ContentObject, _ identities: [String: String]) -> UInt64 {
    var digest = ObjectDigest(ObjectDigest.Shape(entity: object.entity, properties: []))
    digest.add(identities[object.entity].flatMap { object[$0] } ?? .null)
    return digest.value
  }

  func pairs(in table: EntityTable) -> [(new: Int64, old: Int64)] {
    (keys[table.name] ?? [:]).map { (new: $1, old: $0) }.sorted { $0.new < $1.new }
  }

  private func key(_ old: Int64, of entity: String, in layout: StoreLayout) -> Int64? {
    layout.table(of: entity).flatMap { keys[$0.name]?[old] }
  }

  func apply(to object: inout ContentObject, in layout: StoreLayout) {
    object.key = key(object.key, of: object.entity, in: layout) ?? object.key
    for (index, value) in object.values.enumerated() {
      guard case .object(let target) = value else { continue }
      // Set references to objects without a counterpart to NULL; these objects are reported.
      object.values[index] =
        key(target.key, of: target.entity, in: layout).map {
          .object(ContentReference(entity: target.entity, key: $0))
        } ?? .null
    }
  }

  /// Returns a pair with its new keys, or `nil` if one of its objects has no counterpart.
  ///
  /// That object is reported as unmatched if it existed in the original; join tables can have
  /// dangling rows.
  func pair(_ pair: ContentPair, _ side: JoinTable.Side, in layout: StoreLayout) -> ContentPair? {
    let table = layout.joinTables.first { $0.master == side || $0.slave == side }
    let other = table.map { $0.master == side ? $0.slave : $0.master } ?? side
    guard let first = key(pair.first, of: side.entity, in: layout),
      let second = key(pair.second, of: other.entity, in: layout)
    else { return nil }
    var pair = pair
    (pair.first, pair.second) = (first, second)
    return pair
  }
}
