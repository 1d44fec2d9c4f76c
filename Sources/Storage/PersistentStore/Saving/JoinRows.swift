import DataModel
import SQLite

/// Writes the join rows of many-to-manys that changed; that they come last is assumed.
struct JoinRows {
  /// A join row by its table and its two keys, the master's first.
  private struct Row: Hashable {
    let table: String
    let master: Int64
    let slave: Int64
  }

  let context: ObjectContext

  func write(_ changes: SaveChanges) throws {
    try removeRows(ofDeleted: changes.deleted)
    for object in changes.inserted + changes.updated {
      for toMany in object.description.toManys {
        guard case .join(let table, let side) = toMany.storage, let cache = object.loaded(toMany),
          let saved = cache.saved
        else { continue }
        let targets = cache.targets.filter { !$0.isDeleted }
        try write(targets, saved: saved, of: object, table: table, side: side)
      }
    }
  }

  private func removeRows(ofDeleted objects: [ManagedObject]) throws {
    for object in objects {
      for toMany in object.description.toManys
      where toMany.relationship.deleteRule != .noAction {
        guard case .join(let table, let side) = toMany.storage else { continue }
        let statement = try context.connection.cached(
          "DELETE FROM \(table) WHERE \(side.ownColumn) = ?"
        )
        statement.bind(object.key, at: 1)
        try statement.run()
      }
    }
  }

  /// Both sides of a pair are changed together; a row that the other side wrote is not doubled.
  private func write(
    _ targets: [ManagedObject],
    saved: [ObjectID],
    of object: ManagedObject,
    table: String,
    side: JoinTable.Side
  ) throws {
    let current = Set(targets.map(\.id))
    for id in saved where !current.contains(id) {
      let statement = try context.connection.cached(
        "DELETE FROM \(table) WHERE \(side.ownColumn) = ? AND \(side.otherColumn) = ?"
      )
      statement.bind(object.key, at: 1)
      statement.bind(id.key, at: 2)
      try statement.run()
    }
    let before = Set(saved)
    for (index, target) in targets.enumerated() {
      if let order = side.orderColumn {
        guard !(saved.indices.contains(index) && saved[index] == target.id) else { continue }
        try insert(target, index: index, of: object, table: table, side: side, order: order)
      } else if !before.contains(target.id) {
        let statement = try context.connection.cached(
          "INSERT OR IGNORE INTO \(table)(\(side.ownColumn), \(side.otherColumn)) VALUES(?, ?)"
        )
        statement.bind(object.key, at: 1)
        statement.bind(target.key, at: 2)
        try statement.run()
      }
    }
  }

  private func insert(
    _ target: ManagedObject,
    index: Int,
    of object: ManagedObject,
    table: String,
    side: JoinTable.Side,
    order: String
  ) throws {
    let statement = try context.connection.cached(
      "INSERT INTO \(table)(\(side.ownColumn), \(side.otherColumn), \(order)) VALUES(?, ?, ?)"
        + " ON CONFLICT DO UPDATE SET \(order) = excluded.\(order)"
    )
    statement.bind(object.key, at: 1)
    statement.bind(target.key, at: 2)
    statement.bind(SaveChanges.position(index), at: 3)
    try statement.run()
  }
}
