import CSQLite

/// Fills a store with INSERT statements, as fast as a plain program can.
///
/// It prepares one statement per table, uses one transaction and no journal, and builds the indexes
/// after all rows.
struct PlainLoader {
  /// The page cache sizes to try, in pages; the faster size depends on the machine.
  static let cacheSizes = [2_000, 65_536]

  let rows: MemoryRows
  let cachePages: Int
  let syncs: Bool

  /// The pragmas that match the settings of the bulk writer.
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
    // A `nil` destructor is SQLITE_STATIC: SQLite does not copy the bytes, which stay in place.
    case .text(let offset, let count):
      let start = bytes.baseAddress.map { ($0 + Int(offset)).assumingMemoryBound(to: CChar.self) }
      sqlite3_bind_text(insert, column, start, Int32(count), nil)
    case .blob(let offset, let count):
      let start = bytes.baseAddress.map { $0 + Int(offset) }
      sqlite3_bind_blob(insert, column, start, Int32(count), nil)
    }
  }
}

/// All rows of a store, in memory, so that the loader's time does not include reading them.
final class MemoryRows {
  /// The rows of one table; `values` has the values of all rows, row by row.
  struct Table {
    let name: String
    let columnCount: Int
    var values: [Value] = []

    var rowCount: Int { values.count / max(columnCount, 1) }
  }

  /// A value in 16 bytes; texts and blobs refer to bytes that are stored separately.
  enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(offset: UInt32, count: UInt32)
    case blob(offset: UInt32, count: UInt32)
  }

  private(set) var tables: [Table] = []
  /// The statements that create the tables; `indexStatements` then create the indexes.
  private(set) var tableStatements: [String] = []
  private(set) var indexStatements: [String] = []
  private var bytes: [UInt8] = []

  init(store path: String) throws {
    let connection = try PlainConnection(path: path)
    let schema = "FROM sqlite_schema WHERE sql IS NOT NULL AND type"
    tableStatements = try connection.texts("SELECT sql \(schema) = 'table' ORDER BY rowid")
    indexStatements = try connection.texts("SELECT sql \(schema) = 'index' ORDER BY rowid")
    for name in try connection.texts("SELECT name \(schema) = 'table' ORDER BY rowid") {
      tables.append(try read(name, from: connection))
    }
  }

  var rowCount: Int { tables.reduce(0) { $0 + $1.rowCount } }

  private func read(_ name: String, from connection: PlainConnection) throws -> Table {
    let statement = try connection.prepare("SELECT * FROM \(name) ORDER BY rowid")
    defer { sqlite3_finalize(statement) }
    let columns = sqlite3_column_count(statement)
    var table = Table(name: name, columnCount: Int(columns))
    while sqlite3_step(statement) == SQLITE_ROW {
      for column in 0..<columns { table.values.append(value(statement, column)) }
    }
    return table
  }

  private func value(_ statement: OpaquePointer, _ column: Int32) -> Value {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      keep(UnsafeRawPointer(sqlite3_column_text(statement, column)), statement, column)
        .map { .text(offset: $0, count: $1) } ?? .null
    case SQLITE_BLOB:
      keep(sqlite3_column_blob(statement, column), statement, column)
        .map { .blob(offset: $0, count: $1) } ?? .null
    default: .null
    }
  }

  private func keep(
    _ start: UnsafeRawPointer?,
    _ statement: OpaquePointer,
    _ column: Int32
  ) -> (UInt32, UInt32)? {
    let count = Int(sqlite3_column_bytes(statement, column))
    let offset = bytes.count
    // SQLite returns a null pointer for an empty blob, which is not NULL.
    guard let start else { return count == 0 ? (UInt32(offset), 0) : nil }
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
    return (UInt32(offset), UInt32(count))
  }

  func withBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
    try bytes.withUnsafeBytes(body)
  }
}
