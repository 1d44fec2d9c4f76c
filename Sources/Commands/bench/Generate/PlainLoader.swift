import CSQLite

/// Fills a store by INSERT as fast as a plain program can: one statement a table prepared once, one
/// transaction, no journal, indexes built when all rows are there.
struct PlainLoader {
  /// Pages of cache; which is faster depends on the machine.
  static let cacheSizes = [2_000, 65_536]

  let rows: MemoryRows
  let cachePages: Int
  /// Whether the file is synced at the end.
  let syncs: Bool

  /// The settings that the bulk writer's file has as well.
  static let settings = [
    "PRAGMA page_size=4096", "PRAGMA auto_vacuum=2", "PRAGMA journal_mode=OFF",
    "PRAGMA locking_mode=EXCLUSIVE",
  ]

  func load(into path: String) throws {
    let connection = try PlainConnection(path: path)
    for setting in Self.settings { try connection.execute(setting) }
    try connection.execute("PRAGMA synchronous=\(syncs ? "FULL" : "OFF")")
    try connection.execute("PRAGMA cache_size=\(cachePages)")
    try connection.execute("BEGIN")
    for sql in rows.tableStatements { try connection.execute(sql) }
    try rows.withBytes { bytes in
      for table in rows.tables { try load(table, bytes, connection) }
    }
    for sql in rows.indexStatements { try connection.execute(sql) }
    try connection.execute("COMMIT")
  }

  private func load(
    _ table: MemoryRows.Table,
    _ bytes: UnsafeRawBufferPointer,
    _ connection: PlainConnection
  ) throws {
    let marks = Array(repeating: "?", count: table.columnCount).joined(separator: ",")
    let insert = try connection.prepare("INSERT INTO \(table.name) VALUES(\(marks))")
    defer { sqlite3_finalize(insert) }
    try table.values.withUnsafeBufferPointer { values in
      for row in 0..<table.rowCount {
        let first = row * table.columnCount
        for column in 0..<table.columnCount {
          bind(values[first + column], Int32(column + 1), insert, bytes)
        }
        guard sqlite3_step(insert) == SQLITE_DONE else { throw connection.failure }
        sqlite3_reset(insert)
      }
    }
  }

  @inline(__always)
  private func bind(
    _ value: MemoryRows.Value,
    _ column: Int32,
    _ insert: OpaquePointer,
    _ bytes: UnsafeRawBufferPointer
  ) {
    switch value {
    case .null: sqlite3_bind_null(insert, column)
    case .integer(let integer): sqlite3_bind_int64(insert, column, integer)
    case .real(let real): sqlite3_bind_double(insert, column, real)
    // No destructor is SQLITE_STATIC: the bytes stay where they are.
    case .text(let offset, let count):
      let start = bytes.baseAddress.map { ($0 + Int(offset)).assumingMemoryBound(to: CChar.self) }
      sqlite3_bind_text(insert, column, start, Int32(count), nil)
    case .blob(let offset, let count):
      let start = bytes.baseAddress.map { $0 + Int(offset) }
      sqlite3_bind_blob(insert, column, start, Int32(count), nil)
    }
  }
}
