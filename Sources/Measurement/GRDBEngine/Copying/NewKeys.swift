import PersistentStore

/// Gives every copied row the next key of its new table, and finds it again.
struct NewKeys {
  private let identifiers: IdentifierMap
  /// The highest key handed out, by the destination's root entity.
  private(set) var last: [String: Int64] = [:]

  init(_ identifiers: IdentifierMap) {
    self.identifiers = identifiers
  }

  var count: Int { identifiers.count }

  /// The next key of an entity's new table.
  mutating func add(_ old: Int64, from plan: EntityRowPlan) throws -> Int64 {
    let key = last[plan.root, default: 0] + 1
    last[plan.root] = key
    try identifiers.note(ObjectID(entity: plan.number, key: key), of: old, in: plan.table)
    return key
  }

  func identity(of key: Int64, in table: String) throws -> ObjectID? {
    try identifiers.identity(of: key, in: table)
  }
}
