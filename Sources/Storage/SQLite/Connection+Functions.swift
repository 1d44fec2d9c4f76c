import CSQLite

extension Connection {
  /// Registers an SQL function that takes anything and gives NULL.
  ///
  /// It is marked as harmless (https://www.sqlite.org/c3ref/c_deterministic.html#sqliteinnocuous), so
  /// that triggers may call it also where the schema is not trusted.
  /// - Throws: ``SQLiteError`` for a name of more than 255 bytes.
  package func registerEmptyFunction(_ name: String) throws {
    let code = sqlite3_create_function_v2(
      handle.pointer,
      name,
      -1,
      SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC,
      nil,
      { context, _, _ in sqlite3_result_null(context) },
      nil,
      nil,
      nil
    )
    guard code == SQLITE_OK else { throw handle.error(code, while: "register function \(name)") }
  }
}
