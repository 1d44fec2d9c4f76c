import CSQLite

/// The extent to which a connection trusts the SQL in a file's schema: triggers, views, computed
/// columns, checks and index expressions (https://www.sqlite.org/security.html).
package enum SchemaTrust: Hashable, Sendable {
  /// Triggers and views do not run, checks are not evaluated, expressions call only harmless
  /// functions, and statements cannot write to the schema table.
  case none
  /// All SQL in the schema runs.
  ///
  /// Use this level only for files whose schema this process has written itself.
  case full

  /// Withdraws trust from a connection before it reads a schema, whichever library opened the
  /// connection.
  package static func withdraw(from connection: OpaquePointer) {
    for option in [
      SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
      SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
    ] { csqlite_db_config_int(connection, option, 0) }
  }

  /// Prevents statements from damaging the file.
  ///
  /// Apply the connection's settings first, because defensive mode refuses some of them
  /// (`journal_mode=off`).
  package static func defend(_ connection: OpaquePointer) {
    csqlite_db_config_int(connection, SQLITE_DBCONFIG_DEFENSIVE, 1)
    sqlite3_exec(connection, "PRAGMA ignore_check_constraints=on", nil, nil, nil)
  }
}

/// Allows only the named triggers of a file to run, and only actions that keep derived values up to
/// date.
///
/// SQLite asks about each action of a statement, and names the innermost trigger or view that
/// performs it (https://www.sqlite.org/c3ref/set_authorizer.html). Other triggers and actions are
/// refused before the statement runs.
final class TriggerAuthorizer {
  /// The SQLite functions that every trigger may call.
  private static let harmless: Set<String> = [
    "abs", "avg", "coalesce", "count", "ifnull", "iif", "length", "lower", "max", "min", "nullif",
    "round", "substr", "sum", "total", "typeof", "upper",
  ]
  private static let actions: Set<Int32> = [
    SQLITE_DELETE, SQLITE_INSERT, SQLITE_READ, SQLITE_SELECT, SQLITE_UPDATE,
  ]

  let triggers: Set<String>
  private let functions: Set<String>
  /// Decides which actions statements may perform directly; `nil` allows all of them.
  var allowsStatement: ((Connection.Access) -> Bool)?

  init(triggers: Set<String>, functions: Set<String>) {
    self.triggers = Set(triggers.map { $0.lowercased() })
    self.functions = Set(functions.map { $0.lowercased() }).union(Self.harmless)
  }

  func allows(_ action: Int32, _ second: String?, within name: String) -> Bool {
    guard triggers.contains(name.lowercased()) else { return false }
    if action == SQLITE_FUNCTION { return functions.contains(second?.lowercased() ?? "") }
    return Self.actions.contains(action)
  }

  func install(on connection: OpaquePointer) {
    if !triggers.isEmpty { csqlite_db_config_int(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1) }
    // SQLite gets an unretained pointer to the authorizer, whose owner closes the connection first.
    sqlite3_set_authorizer(
      connection,
      { context, action, first, second, _, origin in
        guard let context else { return SQLITE_DENY }
        let authorizer = Unmanaged<TriggerAuthorizer>.fromOpaque(context).takeUnretainedValue()
        guard let origin else {
          let allows = authorizer.allowsStatement
          return allows?(Connection.Access(action, first, second)) ?? true ? SQLITE_OK : SQLITE_DENY
        }
        let isAllowed = authorizer.allows(
          action,
          second.map { String(cString: $0) },
          within: String(cString: origin)
        )
        return isAllowed ? SQLITE_OK : SQLITE_DENY
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }
}
