import SQLite

/// The history of frameworks before 973, which keeps its texts in the transactions.
///
/// Its statements are known from no source (``LayoutGeneration/approximations(framework:keepsHistory:)``),
/// so a working copy gets the present form before anything is saved to it; what was recorded stays.
package enum EarlierHistory {
  /// Gives a copy of a store the tables, columns and indexes that its history lacks, if it has one.
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
