import SQLite

/// Keeps the frameworks' triggers through a change of the schema.
///
/// A trigger follows a table that is renamed: SQLite rewrites its text. Where that table is the former
/// one and is dropped, the trigger goes with it or names what is gone, and then SQLite refuses to rename
/// any other table.
struct KeptTriggers {
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

  private func all() throws -> [(name: String, sql: String)] {
    let own = try StoreTriggers(connection).own
    return try connection.prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"
    ).map { ($0.text(at: 0), $0.text(at: 1)) }.filter { own.contains($0.0) }
  }

  /// Whether SQLite finds everything that a trigger names: it looks it up before it renames anything.
  private func fits(_ trigger: (name: String, sql: String)) throws -> Bool {
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
}
