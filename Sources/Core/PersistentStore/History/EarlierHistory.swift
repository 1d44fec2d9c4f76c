import SQLite

/// Upgrades the history tables of Core Data versions before 973, whose transactions contain author
/// and process names.
///
/// No source shows the statements of those versions
/// (``LayoutGeneration/approximations(framework:keepsHistory:)``). A working copy therefore gets
/// the current tables before anything is saved to it, and keeps its recorded history.
package enum EarlierHistory {
  /// Adds the missing history tables, columns and indexes to a copy of a store, if the store keeps
  /// history in the earlier form.
  ///
  /// - Throws: ``SQLite/SQLiteError``
  package static func upgrade(_ copy: StoreFile) throws {
    let reader = try Connection(path: copy.path, mode: .readOnly, settings: nil)
    let names = Set(try reader.texts("SELECT name FROM sqlite_master"))
    guard names.isSuperset(of: ["ACHANGE", "ATRANSACTION"]), !names.contains("ATRANSACTIONSTRING")
    else { return }
    let present = Set(try reader.columnNames(of: "ATRANSACTION"))
    var statements: [String] = []
    for part in SystemTables.history(tombstones: 0) {
      if case .table(let table) = part, table.name == "ATRANSACTION" {
        statements += table.columns.filter { !present.contains($0.name) }.map {
          "ALTER TABLE ATRANSACTION ADD COLUMN \($0.name) \($0.type)"
        }
      }
      if !names.contains(part.name) { statements.append(part.sql) }
    }
    let connection = try Connection(path: copy.path, settings: nil)
    connection.keepWALAtClose()
    try connection.transaction("BEGIN") {
      try connection.executeScript(
        statements + [
          "INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES "
            + "(\(EntityNumbers.transactionString), 'TRANSACTIONSTRING', 0, 0)"
        ]
      )
    }
  }
}
