import CSQLite

/// Reads tasks by a loop over SQLite's C API, as fast as Swift can be written by hand.
final class PlainLoop {
  private let connection: PlainConnection

  init(path: String) throws {
    connection = try PlainConnection(path: path)
    try connection.execute("PRAGMA cache_size=2000")
  }

  private var selection: String { "SELECT " + taskColumns.joined(separator: ", ") + " FROM ZTASK" }

  /// Every task, in one array.
  func all() throws -> [TaskRow] {
    let statement = try connection.prepare(selection)
    defer { sqlite3_finalize(statement) }
    var rows: [TaskRow] = []
    while sqlite3_step(statement) == SQLITE_ROW { rows.append(row(statement)) }
    return rows
  }

  /// The keys of all tasks, then the tasks a batch at a time; returns how many there were.
  func batched(_ size: Int) throws -> Int {
    let keys = try allKeys()
    // The array of keys as parameters, which needs no table that a context has and a loop has not.
    let places = Array(repeating: "?", count: size).joined(separator: ",")
    let statement = try connection.prepare(selection + " WHERE Z_PK IN (\(places))")
    defer { sqlite3_finalize(statement) }
    var count = 0
    for start in stride(from: 0, to: keys.count, by: size) {
      let batch = keys[start..<min(start + size, keys.count)]
      for (index, key) in batch.enumerated() {
        sqlite3_bind_int64(statement, Int32(truncatingIfNeeded: index + 1), key)
      }
      for index in batch.count..<size { sqlite3_bind_null(statement, Int32(index + 1)) }
      var rows: [TaskRow] = []
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
  private func row(_ statement: OpaquePointer) -> TaskRow {
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
