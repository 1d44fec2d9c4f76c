import Basics
import DataModel
import SQLite

extension ObjectContext {
  /// Returns the objects that match a request.
  ///
  /// - Throws: ``ObjectContextError`` for unknown names, ``SQLite/SQLiteError`` from the store.
  package func fetch(_ request: FetchRequest) throws -> FetchedObjects {
    let plan = try plan(for: description(of: request.entity))
    let sql = try FetchSQL(request, plan: plan, layout: layout)
    let prefetches = Prefetch.list(of: request.relationshipsForPrefetching)
    if request.fetchBatchSize > 0 {
      return FetchedObjects(
        batches: FetchedObjects.Batches(
          keys: try keys(sql),
          size: request.fetchBatchSize,
          plan: plan,
          prefetches: prefetches,
          context: self
        )
      )
    }
    let objects =
      request.includesPropertyValues ? try rows(sql, plan: plan) : try faults(sql, plan: plan)
    try prefetch(prefetches, of: objects, entity: plan.description)
    return FetchedObjects(objects: objects)
  }

  /// Returns the number of objects that match a request, ignoring its limit and offset.
  package func count(_ request: FetchRequest) throws -> Int {
    let plan = try plan(for: description(of: request.entity))
    let statement = try FetchSQL(request, plan: plan, layout: layout).count(connection)
    debugWriter?.counts(request, on: connection)
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

  /// Loads the rows with the given keys and returns their objects in the order of the keys.
  ///
  /// Keys without a row are skipped.
  func load(_ keys: [Int64], plan: SelectPlan) throws -> [ManagedObject] {
    try keyTables.bind(keys)
    let statement = try plan.batch(of: keys.count, on: connection)
    defer { statement.reset() }
    // Keep the objects alive until they are sorted, because the identity map does not retain them.
    var loaded: [ManagedObject] = []
    loaded.reserveCapacity(keys.count)
    var isInOrder = true
    while try statement.step() {
      let object = try plan.readRow(statement, in: self)
      isInOrder = isInOrder && loaded.count < keys.count && object.key == keys[loaded.count]
      loaded.append(object)
    }
    // SQLite returns rows in key order, which is the requested order if the keys are ascending.
    if isInOrder, loaded.count == keys.count { return loaded }
    return withExtendedLifetime(loaded) {
      loaded.count == keys.count
        ? keys.compactMap(plan.description.objects.object)
        : inOrder(of: keys, loaded)
    }
  }

  private func inOrder(of keys: [Int64], _ loaded: [ManagedObject]) -> [ManagedObject] {
    let found = Dictionary(keepingFirst: loaded.map { ($0.key, $0) })
    return keys.compactMap { found[$0] }
  }

  /// Loads the row of a fault.
  ///
  /// - Throws: ``ObjectContextError/missingObject(entity:key:)`` if the row does not exist.
  func fire(_ object: ManagedObject) throws {
    let plan = try plan(for: object.description)
    let statement = try plan.fault(on: connection)
    defer { statement.reset() }
    statement.bind(object.key, at: 1)
    guard try statement.step() else {
      throw ObjectContextError.missingObject(entity: object.description.name, key: object.key)
    }
    counted.faultsFired += 1
    try plan.fill(object, from: statement, in: self)
  }
}

extension ObjectContext {
  /// Calls a closure with the primary keys of an entity's objects, including objects of
  /// sub-entities, in ascending order and in pages of the given size.
  ///
  /// Keys up to and including `key` are skipped. Each page starts after the last key of the
  /// previous one, so memory use and page cost do not grow with the store.
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

  /// Returns up to `limit` primary keys of an entity's objects that follow a given key, in
  /// ascending order.
  package func keys(of entity: String, after key: Int64, limit: Int) throws -> [Int64] {
    let plan = try plan(for: description(of: entity))
    let conditions = [plan.entityCondition, "t0.Z_PK > ?"].compactMap { $0 }
    let statement = try connection.fetching(
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

  /// Returns the objects of an entity with the given keys, loaded in batches on access.
  package func objects(
    _ entity: String,
    keys: [Int64],
    fetchBatchSize: Int
  ) throws -> FetchedObjects {
    FetchedObjects(
      batches: FetchedObjects.Batches(
        keys: keys,
        size: max(1, fetchBatchSize),
        plan: try plan(for: description(of: entity)),
        prefetches: [],
        context: self
      )
    )
  }
}

extension ObjectContext {
  /// Loads the targets of relationships, and level by level what their key paths then lead to.
  func prefetch(
    _ prefetches: [Prefetch],
    of objects: [ManagedObject],
    entity: EntityDescription
  ) throws {
    guard !objects.isEmpty else { return }
    for level in prefetches {
      let name = level.relationship
      if let toOne = entity.toOne(name) {
        try prefetch(toOne, of: objects)
        try prefetch(level.next, from: objects, to: toOne.destination) {
          [$0.retained(at: toOne.slot)].compactMap(\.self)
        }
      } else if let toMany = entity.toMany(name) {
        try prefetch(toMany, of: objects)
        try prefetch(level.next, from: objects, to: toMany.relationship.destination) {
          $0.loaded(toMany)?.targets ?? []
        }
      } else {
        throw ObjectContextError.unknownProperty(entity: entity.name, property: name)
      }
    }
  }

  /// Prefetches relationships of the distinct targets that objects have just got.
  private func prefetch(
    _ prefetches: [Prefetch],
    from objects: [ManagedObject],
    to entity: String,
    _ targets: (ManagedObject) -> [ManagedObject]
  ) throws {
    guard !prefetches.isEmpty else { return }
    var keys: Set<Int64> = []
    // A target that is still a fault does not exist in the store.
    let found = objects.flatMap(targets).filter { !$0.isFault && keys.insert($0.key).inserted }
    try prefetch(prefetches, of: found, entity: description(of: entity))
  }

  private func prefetch(_ toOne: EntityDescription.ToOne, of objects: [ManagedObject]) throws {
    let plan = try plan(for: description(of: toOne.destination))
    var keys: Set<Int64> = []
    for object in objects {
      guard case .integer(let key) = try object.value(at: toOne.slot) else { continue }
      if plan.description.objects.object(key)?.isFault ?? true {
        keys.insert(key)
      }
    }
    var targets: [ManagedObject] = []
    if !keys.isEmpty {
      debugWriter?.prefetches(toOne.name, on: connection)
      targets = try load(keys.sorted(), plan: plan)
    }
    // Retain each prefetched target as long as the objects that refer to it, even if it was already
    // in memory.
    let byKey = Dictionary(keepingFirst: targets.map { ($0.key, $0) })
    for object in objects {
      if case .integer(let key) = object.values[toOne.slot],
        let target = byKey[key] ?? plan.description.objects.object(key)
      {
        object.retain(target, at: toOne.slot)
      }
    }
  }

  private func prefetch(_ toMany: EntityDescription.ToMany, of objects: [ManagedObject]) throws {
    let plan = try plan(for: description(of: toMany.relationship.destination))
    let sql = ToManySQL(toMany: toMany, plan: plan)
    try keyTables.bind(objects.map(\.key).sorted())
    let statement = try connection.fetching(sql.prefetch)
    debugWriter?.prefetches(toMany.name, on: connection)
    defer { statement.reset() }
    var targets: [Int64: [ManagedObject]] = [:]
    let sourceColumn = statement.columnCount - 1
    while try statement.step() {
      let target = try plan.readRow(statement, in: self)
      targets[statement.integer(at: sourceColumn), default: []].append(target)
    }
    for object in objects {
      object.setLoaded(targets[object.key] ?? [], of: toMany)
    }
  }

  func targets(of toMany: EntityDescription.ToMany, from object: ManagedObject) throws
    -> [ManagedObject]
  {
    if let cache = object.loaded(toMany) { return present(cache.targets, of: toMany, in: object) }
    let plan = try plan(for: description(of: toMany.relationship.destination))
    let readsRows = behaviours.toManyFault == .rows
    let statement = try plan.fault(of: toMany, readsRows: readsRows, on: connection)
    defer { statement.reset() }
    statement.bind(object.key, at: 1)
    var targets: [ManagedObject] = []
    while try statement.step() {
      targets.append(
        readsRows
          ? try plan.readRow(statement, in: self) : try plan.readKey(statement, in: self)
      )
    }
    counted.faultsFired += 1
    // The store still has the rows of objects that the next save deletes. Leave them out, because
    // they would take positions in the relationship's order.
    if toMany.hasOrder, !deleted.isEmpty, let inverse = toMany.inverse,
      inverse.deleteRule != .noAction
    {
      targets.removeAll(where: \.isDeleted)
    }
    object.setLoaded(targets, of: toMany)
    return present(object.loaded(toMany)?.targets ?? targets, of: toMany, in: object)
  }

  /// Returns the targets of a loaded to-many relationship, after removing deleted ones from it.
  private func present(
    _ targets: [ManagedObject],
    of toMany: EntityDescription.ToMany,
    in object: ManagedObject
  ) -> [ManagedObject] {
    guard hasDeletedPairs, toMany.forgetsDeleted, targets.contains(where: \.isDeleted) else {
      return targets
    }
    let left = targets.filter { !$0.isDeleted }
    object.toManys[toMany.index]?.targets = left
    return left
  }
}
