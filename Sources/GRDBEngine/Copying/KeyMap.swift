/// The new key of every copied row, and its entity's new number.
struct KeyMap {
  private var tables: [String: [Int64: (key: Int64, number: Int)]] = [:]
  /// The highest key handed out, by the destination's root entity.
  private(set) var last: [String: Int64] = [:]

  var count: Int { tables.values.reduce(0) { $0 + $1.count } }

  subscript(table: String, key: Int64) -> (key: Int64, number: Int)? { tables[table]?[key] }

  /// The next key of an entity's new table.
  mutating func add(_ old: Int64, from plan: EntityRowPlan) -> Int64 {
    let key = last[plan.root, default: 0] + 1
    last[plan.root] = key
    tables[plan.table, default: [:]][old] = (key, plan.number)
    return key
  }
}
