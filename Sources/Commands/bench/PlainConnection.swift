import CSQLite

/// SQLite's C API with nothing between, for what others are measured against.
final class PlainConnection {
  struct Failure: Error, CustomStringConvertible {
    let message: String

    var description: String { "SQLite's C API failed: \(message)" }
  }

  private let connection: OpaquePointer?

  /// Opens a file, or makes it.
  init(path: String) throws {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    connection = opened
    guard code == SQLITE_OK else { throw Failure(message: "code \(code)") }
  }

  deinit {
    sqlite3_close_v2(connection)
  }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  var failure: Failure { Failure(message: String(cString: sqlite3_errmsg(connection))) }

  /// A statement that the caller finalises.
  func prepare(_ sql: String) throws -> OpaquePointer {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v3(connection, sql, -1, 0, &prepared, nil) == SQLITE_OK, let prepared
    else { throw failure }
    return prepared
  }

  /// The texts of a query's first column.
  func texts(_ sql: String) throws -> [String] {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    var texts: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      if let text = sqlite3_column_text(statement, 0) { texts.append(String(cString: text)) }
    }
    return texts
  }
}
