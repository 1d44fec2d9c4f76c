import Basics
import DataModel
import SQLite

/// Writes the rows of one save inside its transaction (coredata-format.md, section 13).
struct SaveWriter {
  let context: ObjectContext

  private var connection: Connection { context.connection }

  /// Writes insertions, then updates, then deletions, each sorted by entity and key; join rows come
  /// last.
  func write(_ changes: SaveChanges) throws {
    try context.history?.writeTransaction()
    for object in changes.inserted { try insert(object) }
    for object in changes.updated { try update(object) }
    for object in changes.deleted { try delete(object) }
    try writeJoinRows(changes)
  }

  private func insert(_ object: ManagedObject) throws {
    try context.externalStorage.prepareForSaving(object)
    let description = object.description
    let statement = try description.inserting(on: connection)
    statement.bind(object.key, at: 1)
    statement.bind(Int64(description.number), at: 2)
    statement.bind(1 as Int64, at: 3)
    let slots = object.slots
    for slot in 0..<object.slotCount { statement.bind(slots[slot], at: slot + 4) }
    try statement.run()
    try context.history?.write(.insertion, of: object)
  }

  private func update(_ object: ManagedObject) throws {
    try context.externalStorage.prepareForSaving(object)
    let saved = object.snapshot ?? Array(object.values)
    let values = object.slots
    let slots = saved.indices.filter { values[$0] != saved[$0] }
    let statement = try object.description.updating(
      slots,
      ofVersion: object.version,
      on: connection
    )
    var index = 1
    for slot in slots {
      statement.bind(values[slot], at: index)
      index += 1
    }
    statement.bind(object.version + 1, at: index)
    statement.bind(object.key, at: index + 1)
    statement.bind(object.version, at: index + 2)
    try runExpectingOneRow(statement, of: object)
    try context.history?.write(.update, of: object, changedSlots: slots)
  }

  private func delete(_ object: ManagedObject) throws {
    context.externalStorage.prepareForDeleting(object)
    let statement = try connection.cached(
      "DELETE FROM \(object.description.table.name) WHERE Z_PK = ? AND "
        + EntityDescription.condition(ofVersion: object.version)
    )
    statement.bind(object.key, at: 1)
    statement.bind(object.version, at: 2)
    try runExpectingOneRow(statement, of: object)
    try context.history?.write(.deletion, of: object)
  }

  private func runExpectingOneRow(_ statement: Statement, of object: ManagedObject) throws {
    try statement.run()
    guard connection.changes == 1 else {
      throw ObjectContextError.conflict(entity: object.description.name, key: object.key)
    }
  }

  private func writeJoinRows(_ changes: SaveChanges) throws {
    try removeRows(ofDeleted: changes.deleted)
    for object in [changes.inserted, changes.updated].joined() {
      for toMany in object.description.joins {
        guard let cache = object.loaded(toMany), let saved = cache.saved,
          case .join(let table, let side) = toMany.storage
        else { continue }
        try write(cache, saved: saved, of: object, table: table, side: side)
      }
    }
  }

  private func removeRows(ofDeleted objects: [ManagedObject]) throws {
    for object in objects {
      for toMany in object.description.joins
      where toMany.relationship.deleteRule != .noAction {
        guard case .join(let table, let side) = toMany.storage else { continue }
        let statement = try connection.cached("DELETE FROM \(table) WHERE \(side.ownColumn) = ?")
        statement.bind(object.key, at: 1)
        try statement.run()
      }
    }
  }

  /// Writes the changed pairs of an object.
  ///
  /// Both sides of a pair change together, so a row that the other side has written is not inserted
  /// again.
  private func write(
    _ cache: ManagedObject.ToManyCache,
    saved: [ObjectID],
    of object: ManagedObject,
    table: String,
    side: JoinTable.Side
  ) throws {
    let targets = cache.targets.filter { !$0.isDeleted }
    let current = Set(targets.map(\.id))
    for id in saved where !current.contains(id) {
      let statement = try connection.cached(
        "DELETE FROM \(table) WHERE \(side.ownColumn) = ? AND \(side.otherColumn) = ?"
      )
      try run(statement, object.key, id.key)
    }
    if let order = side.orderColumn {
      guard cache.isRearranged else { return }
      // Read the stored positions: deleted targets leave gaps that the list does not show.
      let places = try saved.isEmpty ? [:] : positions(of: object, table, side, order)
      for (index, target) in targets.enumerated()
      where places[target.key] != SaveChanges.position(index) {
        let statement = try connection.cached(
          "INSERT INTO \(table)(\(side.ownColumn), \(side.otherColumn), \(order)) VALUES(?, ?, ?)"
            + " ON CONFLICT DO UPDATE SET \(order) = excluded.\(order)"
        )
        statement.bind(SaveChanges.position(index), at: 3)
        try run(statement, object.key, target.key)
      }
      return
    }
    let before = Set(saved)
    let added = targets.filter { !before.contains($0.id) }
    guard !added.isEmpty else { return }
    let statement = try connection.cached(
      "INSERT OR IGNORE INTO \(table)(\(side.ownColumn), \(side.otherColumn)) VALUES(?, ?)"
    )
    for target in added { try run(statement, object.key, target.key) }
  }

  private func positions(
    of object: ManagedObject,
    _ table: String,
    _ side: JoinTable.Side,
    _ order: String
  ) throws -> [Int64: Value] {
    let rows = try connection.cached(
      "SELECT \(side.otherColumn), \(order) FROM \(table) WHERE \(side.ownColumn) = ?"
    )
    rows.bind(object.key, at: 1)
    defer { rows.reset() }
    return Dictionary(keepingFirst: try rows.map { ($0.integer(at: 0), $0.value(at: 1)) })
  }

  private func run(_ statement: Statement, _ own: Int64, _ other: Int64) throws {
    statement.bind(own, at: 1)
    statement.bind(other, at: 2)
    try statement.run()
  }
}
