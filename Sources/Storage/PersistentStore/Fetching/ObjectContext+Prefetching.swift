import DataModel
import SQLite

extension ObjectContext {
  /// Loads the objects of relationships of some objects, in one statement a relationship.
  func prefetch(
    _ relationships: [String],
    of objects: [ManagedObject],
    entity: EntityDescription
  ) throws {
    guard !objects.isEmpty else { return }
    for name in relationships {
      if let toOne = entity.toOne(name) {
        try prefetch(toOne, of: objects)
      } else if let toMany = entity.toMany(name) {
        try prefetch(toMany, of: objects)
      } else {
        throw ObjectContextError.unknownProperty(entity: entity.name, property: name)
      }
    }
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
    guard !keys.isEmpty else { return }
    // A prefetched target lives as long as the objects that lead to it.
    let targets = try load(keys.sorted(), plan: plan)
    let byKey = Dictionary(targets.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    for object in objects {
      if case .integer(let key) = object.values[toOne.slot], let target = byKey[key] {
        object.retained[toOne.slot] = target
      }
    }
  }

  private func prefetch(_ toMany: EntityDescription.ToMany, of objects: [ManagedObject]) throws {
    let plan = try plan(for: description(of: toMany.relationship.destination))
    let sql = ToManySQL(toMany: toMany, plan: plan)
    try keyTables.bind(objects.map(\.key).sorted())
    let statement = try connection.cached(sql.prefetch)
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

  /// The objects of a to-many, loaded from the store where they are not known yet.
  func targets(of toMany: EntityDescription.ToMany, from object: ManagedObject) throws
    -> [ManagedObject]
  {
    if let cache = object.loaded(toMany) { return cache.targets }
    let plan = try plan(for: description(of: toMany.relationship.destination))
    let sql = ToManySQL(toMany: toMany, plan: plan)
    let readsRows = behaviours.toManyFault == .rows
    let statement = try connection.cached(readsRows ? sql.rows : sql.keys)
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
    object.setLoaded(targets, of: toMany)
    return object.loaded(toMany)?.targets ?? targets
  }
}
