import SQLite

/// Preserves Core Data's triggers during a change of the schema.
///
/// A migration rebuilds a table by renaming the old version and dropping it afterwards. SQLite's
/// renaming rewrites the triggers, so they would be dropped with the old version, or refer to a
/// missing table, which prevents SQLite from renaming any other table.
struct KeptTriggers {
  private typealias Trigger = (name: String, table: String, sql: String)

  struct Renaming {
    let table: String
    let name: String
    let columns: [(from: String, to: String)]
  }

  private let connection: Connection

  /// Drops the triggers, makes a change, and recreates the triggers that fit the changed tables.
  static func during(
    _ change: () throws -> Void,
    renaming: [Renaming] = [],
    on connection: Connection
  ) throws {
    // Return early, because most stores have no triggers, and a migration's statements are counted.
    guard connection.allowsTriggers else { return try change() }
    let kept = KeptTriggers(connection: connection)
    let found = try kept.all()
    let triggers = found.isEmpty || renaming.isEmpty ? found : try kept.renamed(found, by: renaming)
    for trigger in triggers { try connection.execute("DROP TRIGGER \(trigger.name.quotedName)") }
    try change()
    for trigger in triggers where try kept.fits(trigger) { try connection.execute(trigger.sql) }
  }

  private func all() throws -> [Trigger] {
    let own = try StoreTriggers(connection).own
    return try connection.prepare(
      "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"
    ).map { ($0.text(at: 0), $0.text(at: 1), $0.text(at: 2)) }.filter { own.contains($0.0) }
  }

  /// Returns the triggers as SQLite rewrites them for the new names, and rolls back SQLite's
  /// changes to the tables.
  private func renamed(
    _ triggers: [Trigger],
    by renaming: [Renaming]
  ) throws -> [Trigger] {
    try connection.execute("SAVEPOINT renaming")
    defer { try? connection.executeScript(["ROLLBACK TO renaming", "RELEASE renaming"]) }
    do {
      for table in renaming { try renameColumns(of: table) }
      let tables = renaming.filter { $0.table != $0.name }.map { (from: $0.table, to: $0.name) }
      try rename(
        tables,
        among: connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
      ) {
        "ALTER TABLE \($0.quotedName) RENAME TO \($1)"
      }
      return try all()
    } catch is SQLiteError {
      // A trigger that SQLite cannot parse does not fit the changed tables.
      return triggers
    }
  }

  private func renameColumns(of table: Renaming) throws {
    try rename(table.columns, among: connection.columnNames(of: table.table)) {
      "ALTER TABLE \(table.table.quotedName) RENAME COLUMN \($0.quotedName) TO \($1)"
    }
  }

  /// Renames tables or columns by way of unused temporary names, because the names may be swapped,
  /// or still be used by tables or columns that the change drops.
  private func rename(
    _ names: [(from: String, to: String)],
    among present: [String],
    _ statement: (String, String) -> String
  ) throws {
    let names = names.filter { present.contains($0.from) }
    let going = Set(names.map(\.to)).intersection(present).subtracting(names.map(\.from)).sorted()
    let moved = names.indices.map { "ZRENAMED\($0)" }
    let steps =
      going.indices.map { (going[$0], "ZGONE\($0)") } + zip(names.map(\.from), moved)
      + zip(moved, names.map(\.to))
    for (from, to) in steps { try connection.execute(statement(from, to)) }
  }

  /// Whether SQLite finds everything that a trigger refers to; SQLite checks this before any
  /// renaming.
  private func fits(_ trigger: Trigger) throws -> Bool {
    guard try !waitsInVain(trigger) else { return false }
    try connection.execute("SAVEPOINT trigger")
    defer { try? connection.executeScript(["ROLLBACK TO trigger", "RELEASE trigger"]) }
    do {
      try connection.execute(trigger.sql)
      try connection.execute("ALTER TABLE Z_PRIMARYKEY RENAME COLUMN Z_NAME TO Z_NAME")
      return true
    } catch let error as SQLiteError
      where error.message.hasPrefix("no such table")
      || error.message.hasPrefix("error in trigger \(trigger.name):")
    { return false }
  }

  /// Whether a trigger fires only on updates of missing columns; SQLite does not reject such a
  /// trigger.
  private func waitsInVain(_ trigger: Trigger) throws -> Bool {
    let list = trigger.sql.firstMatch(of: /(?is)\bUPDATE\s+OF\s+(.+?)\s+ON\s/)?.output.1
    guard let list else { return false }
    let present = try connection.columnNames(of: trigger.table).map { $0.lowercased() }
    return !list.split(separator: ",").contains { name in
      present.contains(name.lowercased().filter { !$0.isWhitespace && !"\"`[]".contains($0) })
    }
  }
}
