import DataModel
import SQLite

/// The work that a deferred lightweight migration leaves: tables to drop, and tables with columns
/// that are no longer in the model.
///
/// Apple documents the option, the metadata entry and both ways to finish
/// (`NSPersistentStoreDeferredLightweightMigrationOptionKey`,
/// `finishDeferredLightweightMigration()`, `finishDeferredLightweightMigrationTask()`). No log
/// shows the statements, so they are assumed, as is the rule of one table and one transaction per
/// task.
package struct DeferredCleanUp {
  /// The key of the metadata entry that is true while work remains.
  package static let key = "NSPersistentStoreDeferredLightweightMigrationOptionKey"
  static let prefix = "T_"

  let connection: Connection
  let layout: StoreLayout
  let path: String

  /// Whether the metadata shows that work remains.
  package var isPending: Bool {
    get throws { try StoreMetadata(from: connection, path: path).others[Self.key] != nil }
  }

  /// Performs one task in a transaction; returns false if no work was left.
  ///
  /// - Throws: ``SQLite/SQLiteError``; the store is then unchanged.
  package func finishTask() throws -> Bool {
    guard try isPending else { return false }
    try connection.transaction("BEGIN EXCLUSIVE") {
      let tasks = try self.tasks()
      if let first = tasks.first {
        try KeptTriggers.during({ try connection.executeScript(first) }, on: connection)
      }
      if tasks.count < 2 { try StoreMetadata.set([Self.key: nil], on: connection) }
    }
    return true
  }

  func finish() throws {
    for task in try tasks() { try connection.executeScript(task) }
  }

  private func tasks() throws -> [[String]] {
    let known = Set(layout.tableColumns.map(\.table))
    let waiting = try connection.texts(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'T\\_Z%' ESCAPE '\\' "
        + "ORDER BY name"
    ).filter { !known.contains($0) }
    let rebuilt = try layout.tables.filter { table in
      !Set(try connection.columnNames(of: table.name)).isSubset(of: table.columnNames)
    }
    return waiting.map { ["DROP TABLE \($0.quotedName)"] } + rebuilt.map(rebuild)
  }

  private func rebuild(_ table: EntityTable) -> [String] {
    let former = Self.prefix + table.name
    let names = table.columnNames.joined(separator: ", ")
    return [
      "ALTER TABLE \(table.name) RENAME TO \(former)", table.definition.sql,
      "INSERT INTO \(table.name) (\(names)) SELECT \(names) FROM \(former)",
      "DROP TABLE \(former)",
    ] + layout.indexes(of: table).filter { $0.table == table.name }.map(\.sql)
  }
}

extension DeferredCleanUp {
  /// Creates the clean-up of an open store.
  package init(_ store: PersistentStore) {
    self.init(connection: store.connection, layout: store.layout, path: store.file.path)
  }
}
