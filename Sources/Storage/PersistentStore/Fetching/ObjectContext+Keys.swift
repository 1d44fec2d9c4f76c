import SQLite

extension ObjectContext {
  /// Hands over the primary keys of an entity's objects, those of its sub-entities among them,
  /// ascending and so many at a time.
  ///
  /// Those up to a key may be left out. A page is looked for behind the last key of the one before,
  /// so that neither memory nor the cost of a page grows with the store.
  package func forEachPage(
    of entity: String,
    after key: Int64 = .min,
    size: Int,
    _ body: ([Int64]) throws -> Void
  ) throws {
    var keys = try self.keys(of: entity, after: key, limit: size)
    while let last = keys.last {
      try body(keys)
      keys = try self.keys(of: entity, after: last, limit: size)
    }
  }

  /// So many primary keys of an entity's objects that follow one, ascending.
  package func keys(of entity: String, after key: Int64, limit: Int) throws -> [Int64] {
    let plan = try plan(for: description(of: entity))
    let conditions = [plan.entityCondition, "t0.Z_PK > ?"].compactMap { $0 }
    let statement = try connection.cached(
      "\(plan.selectKeys) FROM \(plan.description.table.name) t0 WHERE "
        + conditions.joined(separator: " AND ") + " ORDER BY t0.Z_PK LIMIT ?"
    )
    defer { statement.reset() }
    statement.bind(key, at: 1)
    statement.bind(Int64(max(1, limit)), at: 2)
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(at: 1)) }
    return keys
  }

  /// The objects of an entity under these keys, loaded batch by batch as they are accessed.
  package func objects(
    _ entity: String,
    keys: [Int64],
    fetchBatchSize: Int
  ) throws -> FetchedObjects {
    FetchedObjects(
      batches: Batches(
        keys: keys,
        size: max(1, fetchBatchSize),
        plan: try plan(for: description(of: entity)),
        prefetch: [],
        context: self
      )
    )
  }
}
