import CSQLite

/// Reads tasks with a loop over SQLite's C API, as fast as hand-written Swift can be.
final class PlainLoop {
  private let connection: PlainConnection

  init(path: String) throws {
    connection = try PlainConnection(path: path)
    try connection.execute("PRAGMA cache_size=2000")
  }

  func all() throws -> [TaskRow<[UInt8]>] {
    let statement = try connection.prepare(FetchRace.selection)
    defer { sqlite3_finalize(statement) }
    var rows: [TaskRow<[UInt8]>] = []
    while sqlite3_step(statement) == SQLITE_ROW { rows.append(row(statement)) }
    return rows
  }

  /// Fetches all keys, then the tasks in batches; returns the number of tasks.
  func batched(_ size: Int) throws -> Int {
    let keys = try allKeys()
    // Bind the keys as parameters; the loop needs no temporary table, unlike the object context.
    let places = Array(repeating: "?", count: size).joined(separator: ",")
    let statement = try connection.prepare(FetchRace.selection + " WHERE Z_PK IN (\(places))")
    defer { sqlite3_finalize(statement) }
    var count = 0
    for start in stride(from: 0, to: keys.count, by: size) {
      let batch = keys[start..<min(start + size, keys.count)]
      for (index, key) in batch.enumerated() {
        sqlite3_bind_int64(statement, Int32(truncatingIfNeeded: index + 1), key)
      }
      for index in batch.count..<size { sqlite3_bind_null(statement, Int32(index + 1)) }
      var rows: [TaskRow<[UInt8]>] = []
      rows.reserveCapacity(size)
      while sqlite3_step(statement) == SQLITE_ROW { rows.append(row(statement)) }
      sqlite3_reset(statement)
      count += rows.count
    }
    return count
  }

  private func allKeys() throws -> [Int64] {
    let statement = try connection.prepare("SELECT Z_PK FROM ZTASK")
    defer { sqlite3_finalize(statement) }
    var keys: [Int64] = []
    while sqlite3_step(statement) == SQLITE_ROW { keys.append(sqlite3_column_int64(statement, 0)) }
    return keys
  }

  @inline(__always)
  private func row(_ statement: OpaquePointer) -> TaskRow<[UInt8]> {
    TaskRow(
      key: sqlite3_column_int64(statement, 0),
      version: sqlite3_column_int64(statement, 1),
      estimatedMinutes: integer(statement, 2),
      isCompleted: integer(statement, 3),
      isFlagged: integer(statement, 4),
      sortOrder: integer(statement, 5),
      category: integer(statement, 6),
      project: integer(statement, 7),
      completedAt: real(statement, 8),
      createdAt: real(statement, 9),
      modifiedAt: real(statement, 10),
      progress: real(statement, 11),
      details: text(statement, 12),
      title: text(statement, 13),
      id: blob(statement, 14)
    )
  }

  @inline(__always)
  private func integer(_ statement: OpaquePointer, _ column: Int32) -> Int64? {
    sqlite3_column_type(statement, column) == SQLITE_NULL
      ? nil : sqlite3_column_int64(statement, column)
  }

  @inline(__always)
  private func real(_ statement: OpaquePointer, _ column: Int32) -> Double? {
    sqlite3_column_type(statement, column) == SQLITE_NULL
      ? nil : sqlite3_column_double(statement, column)
  }

  @inline(__always)
  private func text(_ statement: OpaquePointer, _ column: Int32) -> String? {
    guard let start = sqlite3_column_text(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  @inline(__always)
  private func blob(_ statement: OpaquePointer, _ column: Int32) -> [UInt8]? {
    guard let start = sqlite3_column_blob(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }
}

/// A thin wrapper around SQLite's C API, the reference for the other contestants.
final class PlainConnection {
  struct Failure: Error, CustomStringConvertible {
    let message: String

    var description: String { "SQLite's C API failed: \(message)" }
  }

  private let connection: OpaquePointer?

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

  /// Prepares a statement; the caller finalizes it.
  func prepare(_ sql: String) throws -> OpaquePointer {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v3(connection, sql, -1, 0, &prepared, nil) == SQLITE_OK, let prepared
    else { throw failure }
    return prepared
  }

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
