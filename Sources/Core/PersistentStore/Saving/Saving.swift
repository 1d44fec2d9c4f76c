import Basics
import DataModel
import SQLite

extension ObjectContext {
  package var hasChanges: Bool { !(inserted.isEmpty && changed.isEmpty && deleted.isEmpty) }

  /// Writes all changes since the last save in one transaction.
  ///
  /// Keys are reserved beforehand in a separate transaction, as public logs show.
  ///
  /// - Throws: ``ObjectContextError`` for conflicts, denied deletions, missing values and unique
  ///   constraints; the context then keeps its changes.
  package func save() throws {
    guard hasChanges else { return try saveMetadata() }
    countHeld()
    let statementsBefore = connection.statementsRun
    try numberOrderedTargets()
    let changes = SaveChanges(self)
    try check(changes)
    do {
      try reserveKeys(for: changes)
      try connection.transaction("BEGIN EXCLUSIVE") {
        if behaviours.historyKeys == .inSave { try reserveHistoryKeys(for: changes) }
        try SaveWriter(context: self).write(changes)
        try writeMetadata()
      }
      try externalStorage.didCommit()
    } catch {
      try externalStorage.didFail()
      if behaviours.historyKeys == .inSave { history?.forgetNames() }
      throw translated(error)
    }
    didSave(changes)
    // Core Data queries the free pages after each save, so these statements are run and counted
    // too.
    _ = try connection.integer("pragma page_count")
    _ = try connection.integer("pragma freelist_count")
    counted.saveStatements += Int(connection.statementsRun - statementsBefore)
  }

  private func saveMetadata() throws {
    guard !metadataChanges.isEmpty else { return }
    try connection.transaction("BEGIN EXCLUSIVE") { try writeMetadata() }
    metadataChanges = [:]
  }

  private func writeMetadata() throws {
    guard !metadataChanges.isEmpty else { return }
    try StoreMetadata.set(metadataChanges, on: connection)
  }

  private func translated(_ error: any Error) -> any Error {
    if let error = error as? SQLiteError, error.isConstraint {
      return ObjectContextError.uniqueConstraint(error.message)
    }
    return error
  }

  private func reserveKeys(for changes: SaveChanges) throws {
    let needing = changes.inserted.filter { $0.key < 0 }
    let reservesHistory = history != nil && behaviours.historyKeys == .beforeSave
    guard !needing.isEmpty || reservesHistory else { return }
    try connection.transaction("BEGIN EXCLUSIVE") {
      var next: [Int: Int64] = [:]
      let counts = Dictionary(grouping: needing, by: \.description.root).mapValues(\.count)
      for (root, count) in counts.sorted(by: { $0.key < $1.key }) {
        next[root] = try connection.reserveKeys(count, of: root, description(number: root).name)
      }
      let keys = assignKeys(to: needing, from: next)
      changes.resolve(keys)
      if reservesHistory { try reserveHistoryKeys(for: changes) }
    }
  }

  private func reserveHistoryKeys(for changes: SaveChanges) throws {
    try history?.reserveKeys(
      changes: changes.inserted.count + changes.updated.count + changes.deleted.count
    )
  }

  private func assignKeys(to objects: [ManagedObject], from first: [Int: Int64]) -> TemporaryKeys {
    var next = first
    var former: [Int64] = []
    former.reserveCapacity(objects.count)
    for object in objects {
      let description = object.description
      description.objects.remove(object)
      former.append(object.key)
      object.key = next[description.root, default: 1]
      next[description.root, default: 1] += 1
      description.objects.insert(object)
    }
    return TemporaryKeys(former: former, objects: objects)
  }

  private func didSave(_ changes: SaveChanges) {
    for object in changes.inserted {
      object.flags.remove(.inserted)
      object.version = 1
      object.settle()
    }
    for object in changes.updated {
      object.flags.remove(.updated)
      object.version += 1
      object.settle()
    }
    for object in changes.deleted { object.flags = [.deleted] }
    counted.saves += 1
    counted.inserted += changes.inserted.count
    counted.updated += changes.updated.count
    counted.deleted += changes.deleted.count
    inserted = []
    changed = []
    deleted = []
    metadataChanges = [:]
  }

  /// Discards all changes since the last save.
  package func rollback() {
    for object in changed {
      if let snapshot = object.snapshot { object.setValues(snapshot) }
      object.flags.remove(.updated)
      object.snapshot = nil
    }
    for object in deleted { object.flags.remove(.deleted) }
    reset()
  }
}

extension ManagedObject {
  func settle() {
    snapshot = nil
    for index in toManys.indices {
      guard let cache = toManys[index] else { continue }
      toManys[index] = cache.isFault ? nil : ToManyCache(targets: cache.targets)
    }
  }
}

struct SaveChanges {
  let inserted: [ManagedObject]
  let updated: [ManagedObject]
  let deleted: [ManagedObject]

  init(_ context: ObjectContext) {
    // New objects get keys in the order of their insertion; temporary keys count down.
    inserted = context.inserted.filter { !$0.isDeleted }
      .sorted { ($0.description.number, -$0.key) < ($1.description.number, -$1.key) }
    updated = context.changed.filter { $0.flags.isDisjoint(with: [.deleted, .inserted]) }
      .sorted { $0.id < $1.id }
    deleted = context.deleted.filter { !$0.isInserted }.sorted { $0.id < $1.id }
  }

  static func position(_ index: Int) -> Value { .integer(Int64(2048 + 1024 * index)) }

  fileprivate func resolve(_ keys: TemporaryKeys) {
    guard !keys.former.isEmpty else { return }
    // Compute the permanent keys lazily: many saves contain no temporary key.
    lazy var permanent = keys.permanent
    for object in [inserted, updated].joined() {
      for slot in object.description.keySlots {
        if case .integer(let key) = object.values[slot], key < 0, let known = permanent[key] {
          object.values[slot] = .integer(known)
        }
      }
    }
  }
}

private struct TemporaryKeys {
  let former: [Int64]
  let objects: [ManagedObject]

  var permanent: [Int64: Int64] {
    Dictionary(keepingFirst: zip(former, objects).map { ($0, $1.key) })
  }
}

extension ObjectContext {
  /// Numbers the targets of an ordered to-many relationship if any were added or moved.
  ///
  /// The positions are 2048, 3072, 4096 and so on. If targets were only removed, the others keep
  /// their positions. Renumbering all targets is an assumption (see coredata-format.md, section 4).
  /// The save also updates targets whose position changes.
  func numberOrderedTargets() throws {
    for source in [inserted, changed].joined() where !source.isDeleted {
      for toMany in source.description.ordered {
        guard case .inverseForeignKey(_, _, let column?) = toMany.storage,
          let cache = source.loaded(toMany), cache.isRearranged
        else { continue }
        for (index, target) in cache.targets.enumerated() {
          let slot = target.description.columns.firstIndex { $0.name == column }
          let position = SaveChanges.position(index)
          guard let slot, try target.rawValue(at: slot) != position else { continue }
          try target.willChange()
          target.values[slot] = position
        }
      }
    }
  }
}

extension ObjectContext {
  /// Checks the changes of a save before anything is written.
  ///
  /// - Throws: The first ``ObjectContextError`` in the order of writing.
  private func check(_ changes: SaveChanges) throws {
    for object in [changes.inserted, changes.updated].joined() { try checkValues(of: object) }
    for object in changes.deleted { try checkDenials(of: object) }
  }

  private func checkValues(of object: ManagedObject) throws {
    let description = object.description
    for slot in description.requiredSlots {
      guard case .null = object.values[slot] else { continue }
      throw ObjectContextError.missingValue(
        entity: description.name,
        key: object.key,
        attribute: description.columns[slot].property
      )
    }
  }

  /// Objects that the same save deletes do not prevent a deletion.
  ///
  /// This is assumed. Apple documents that an object cannot be deleted while a relationship with
  /// the delete rule deny has a destination object, but not whether one save may delete both.
  private func checkDenials(of object: ManagedObject) throws {
    for toOne in object.description.toOnes where toOne.relationship.deleteRule == .deny {
      if let target = try object.target(of: toOne), !target.isDeleted {
        throw denial(of: object, toOne.name)
      }
    }
    for toMany in object.description.toManys where toMany.relationship.deleteRule == .deny {
      if try targets(of: toMany, from: object).contains(where: { !$0.isDeleted }) {
        throw denial(of: object, toMany.name)
      }
    }
  }

  private func denial(of object: ManagedObject, _ relationship: String) -> ObjectContextError {
    .deletionDenied(entity: object.description.name, key: object.key, relationship: relationship)
  }
}

extension Connection {
  /// Reserves keys of an entity number in Z_PRIMARYKEY and returns the first one, using the
  /// statements of public logs (coredata-format.md, section 13).
  ///
  /// - Throws: ``ObjectContextError/keyReservation(entity:)`` if another connection reserved keys
  ///   at the same time.
  package func reserveKeys(_ count: Int, of number: Int, _ name: String) throws -> Int64 {
    let select = try cached("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
    select.bind(Int64(number), at: 1)
    guard try select.step() else { throw ObjectContextError.unknownEntity(name) }
    let last = select.integer(at: 0)
    select.reset()
    guard count > 0 else { return last + 1 }
    let update = try cached(
      "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?"
    )
    update.bind(last + Int64(count), at: 1)
    update.bind(Int64(number), at: 2)
    update.bind(last, at: 3)
    try update.run()
    guard changes == 1 else { throw ObjectContextError.keyReservation(entity: name) }
    return last + 1
  }
}
