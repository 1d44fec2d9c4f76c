import DataModel
import SQLite

extension ObjectContext {
  /// The objects that a request describes.
  ///
  /// - Throws: ``ObjectContextError`` for unknown names, ``SQLite/SQLiteError`` from the store.
  package func fetch(_ request: FetchRequest) throws -> FetchedObjects {
    let plan = try plan(for: description(of: request.entity))
    let sql = try FetchSQL(request, plan: plan, layout: layout)
    if request.fetchBatchSize > 0 {
      return FetchedObjects(
        batches: Batches(
          keys: try keys(sql),
          size: request.fetchBatchSize,
          plan: plan,
          prefetch: request.relationshipsForPrefetching,
          context: self
        )
      )
    }
    let objects =
      request.includesPropertyValues ? try rows(sql, plan: plan) : try faults(sql, plan: plan)
    try prefetch(request.relationshipsForPrefetching, of: objects, entity: plan.description)
    return FetchedObjects(objects: objects)
  }

  /// The number of objects that a request describes, without its limit and offset.
  package func count(_ request: FetchRequest) throws -> Int {
    let plan = try plan(for: description(of: request.entity))
    let statement = try FetchSQL(request, plan: plan, layout: layout).count(connection)
    defer { statement.reset() }
    return try statement.step() ? Int(statement.integer(at: 0)) : 0
  }

  private func rows(_ sql: FetchSQL, plan: SelectPlan) throws -> [ManagedObject] {
    let statement = try sql.rows(connection)
    defer { statement.reset() }
    var objects: [ManagedObject] = []
    while try statement.step() { objects.append(try plan.readRow(statement, in: self)) }
    return objects
  }

  private func faults(_ sql: FetchSQL, plan: SelectPlan) throws -> [ManagedObject] {
    let statement = try sql.keys(connection)
    defer { statement.reset() }
    var objects: [ManagedObject] = []
    while try statement.step() { objects.append(try plan.readKey(statement, in: self)) }
    return objects
  }

  private func keys(_ sql: FetchSQL) throws -> [Int64] {
    let statement = try sql.keys(connection)
    defer { statement.reset() }
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(at: 1)) }
    return keys
  }

  /// Loads the rows of some keys and hands the objects back in the order of the keys.
  ///
  /// Keys whose rows are gone have no object in the result.
  func load(_ keys: [Int64], plan: SelectPlan) throws -> [ManagedObject] {
    try keyTables.bind(keys)
    let statement = try plan.batch(of: keys.count, on: connection)
    defer { statement.reset() }
    // Kept alive until they are put in order: the identity map holds nothing by itself.
    var loaded: [ManagedObject] = []
    loaded.reserveCapacity(keys.count)
    var isInOrder = true
    while try statement.step() {
      let object = try plan.readRow(statement, in: self)
      isInOrder = isInOrder && loaded.count < keys.count && object.key == keys[loaded.count]
      loaded.append(object)
    }
    // SQLite reads ascending keys in their order.
    if isInOrder, loaded.count == keys.count { return loaded }
    return withExtendedLifetime(loaded) {
      loaded.count == keys.count
        ? keys.compactMap(plan.description.objects.object)
        : inOrder(of: keys, loaded)
    }
  }

  /// The loaded objects in the order of the keys, where the rows of some keys are gone.
  private func inOrder(of keys: [Int64], _ loaded: [ManagedObject]) -> [ManagedObject] {
    let found = Dictionary(loaded.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    return keys.compactMap { found[$0] }
  }

  /// Reads the row of a fault.
  ///
  /// - Throws: ``ObjectContextError/missingObject(entity:key:)`` where the row is gone.
  func fire(_ object: ManagedObject) throws {
    let plan = try plan(for: object.description)
    let statement = try connection.cached(
      "\(plan.selectRows) FROM \(plan.description.table.name) t0 WHERE t0.Z_PK = ?"
    )
    defer { statement.reset() }
    statement.bind(object.key, at: 1)
    guard try statement.step() else {
      throw ObjectContextError.missingObject(entity: object.description.name, key: object.key)
    }
    counted.faultsFired += 1
    try plan.fill(object, from: statement, in: self)
  }
}
