import SQLite

extension ObjectContext {
  /// The primary keys of an entity's objects, those of its sub-entities among them, ascending.
  package func sortedKeys(of entity: String) throws -> [Int64] {
    let plan = try plan(for: description(of: entity))
    let statement = try FetchSQL(FetchRequest(entity), plan: plan, layout: layout).keys(connection)
    defer { statement.reset() }
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(at: 1)) }
    // Without an order of its own the statement follows whichever index is the smallest.
    return keys.sorted()
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
