import DataModel
import PersistentStore
import SQLite

/// Reverses the keys of a store's objects and leaves everything else as it is.
struct Renumbering {
  let layout: StoreLayout

  func apply(to store: StoreFile) throws {
    let connection = try Connection(path: store.path, mode: .readWrite, settings: nil)
    try connection.execute("PRAGMA synchronous=off")
    for (place, table) in layout.tables.enumerated() {
      // Make the keys negative first, so that no new key equals one that is still in use.
      let key = expression("Z_PK", place)
      try connection.execute("UPDATE \(table.name) SET Z_PK = -(\(key))")
      try connection.execute("UPDATE \(table.name) SET Z_PK = -Z_PK")
      for column in table.columns {
        guard let target = target(of: column) else { continue }
        try connection.execute(
          "UPDATE \(table.name) SET \(column.name) = \(expression(column.name, target))"
        )
      }
    }
    for table in layout.joinTables {
      let master = place(of: table.master.entity)
      let slave = place(of: table.slave.entity)
      try connection.execute(
        "UPDATE \(table.name) SET \(table.master.ownColumn) = "
          + "\(expression(table.master.ownColumn, master)), \(table.master.otherColumn) = "
          + "\(expression(table.master.otherColumn, slave))"
      )
    }
  }

  private func expression(_ column: String, _ place: Int) -> String {
    "\((place + 1) * 100_000) - \(column)"
  }

  private func place(of entity: String) -> Int {
    layout.tables.firstIndex { $0.entities.contains(entity) } ?? 0
  }

  private func target(of column: Column) -> Int? {
    switch column.content {
    case .foreignKey(let relationship): place(of: relationship.destination)
    case .inverselessKey(_, let source): place(of: source)
    default: nil
    }
  }
}
