import PersistentStore
import SQLite

/// What a file's schema names, and what in it the frameworks never write.
package struct SchemaContents: Sendable {
  /// The ordinary tables with their plain columns; virtual tables, views and computed columns run
  /// code of the file's author when they are read, and are left out.
  package private(set) var columns: [String: [String]] = [:]
  /// Computed columns as `TABLE.COLUMN`.
  package private(set) var generatedColumns: [String] = []
  package private(set) var virtualTables: [String] = []
  package private(set) var views: [String] = []
  package private(set) var triggers: [String] = []
  /// Indexes over expressions or a part of the rows.
  package private(set) var expressionIndexes: [String] = []

  init(_ connection: Connection) throws {
    var tables: [String] = []
    let row = try connection.prepare(
      "SELECT type, name, rootpage, coalesce(substr(sql, 1, 20), '') FROM sqlite_schema "
        + "ORDER BY name"
    )
    while try row.step() {
      let name = row.text(at: 1)
      switch row.text(at: 0) {
      case "table":
        if row.integer(at: 2) > 0, row.text(at: 3).uppercased().hasPrefix("CREATE TABLE") {
          tables.append(name)
        } else {
          virtualTables.append(name)
        }
      case "view": views.append(name)
      case "trigger": triggers.append(name)
      default: continue
      }
    }
    for table in tables { try readColumns(of: table, connection) }
    let indexes = try connection.prepare(
      "SELECT DISTINCT i.name FROM sqlite_schema AS i, pragma_index_xinfo(i.name) AS x "
        + "WHERE i.type = 'index' AND x.cid = -2 ORDER BY 1"
    )
    while try indexes.step() { expressionIndexes.append(indexes.text(at: 0)) }
  }

  private mutating func readColumns(of table: String, _ connection: Connection) throws {
    let row = try connection.prepare("SELECT name, hidden FROM pragma_table_xinfo(?1)")
    row.bind(table, at: 1)
    var plain: [String] = []
    while try row.step() {
      if row.integer(at: 1) == 0 {
        plain.append(row.text(at: 0))
      } else {
        generatedColumns.append("\(table).\(row.text(at: 0))")
      }
    }
    columns[table] = plain
  }

  package func has(_ table: String) -> Bool { columns[table] != nil }

  package func has(_ column: String, in table: String) -> Bool {
    columns[table]?.contains(column) ?? false
  }

  /// Whether checking the file's integrity would run expressions of its author.
  var runsExpressions: Bool { !generatedColumns.isEmpty || !expressionIndexes.isEmpty }
}
