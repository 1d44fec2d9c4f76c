import SQLite

/// Keeps the frameworks' triggers through a change of the schema.
///
/// SQLite rewrites a trigger that names a renamed table, so that it would end with a table that is
/// dropped, and refuses to rename any other table while one does.
struct KeptTriggers {
  private typealias Trigger = (name: String, table: String, sql: String)

  private let connection: Connection

  /// Makes a change while the triggers are away; those that fit the changed tables are made again.
  static func during(_ change: () throws -> Void, on connection: Connection) throws {
    // Most stores have none, and a migration's statements are counted.
    guard connection.allowsTriggers else { return try change() }
    let kept = KeptTriggers(connection: connection)
    let triggers = try kept.all()
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

  /// Whether SQLite finds everything that a trigger names: it looks it up before it renames anything.
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

  /// Whether a trigger waits for changes of columns that are all gone, with which SQLite makes it.
  private func waitsInVain(_ trigger: Trigger) throws -> Bool {
    let list = trigger.sql.firstMatch(of: /(?is)\bUPDATE\s+OF\s+(.+?)\s+ON\s/)?.output.1
    guard let list else { return false }
    let row = try connection.prepare("SELECT lower(name) FROM pragma_table_info(?1)")
    row.bind(trigger.table, at: 1)
    let present = try row.map { $0.text(at: 0) }
    return !list.split(separator: ",").contains { name in
      present.contains(name.lowercased().filter { !$0.isWhitespace && !"\"`[]".contains($0) })
    }
  }
}
