import CSQLite

/// All rows of a store in memory, for a loader that has nothing to do but load.
final class MemoryRows {
  /// The rows of one table, values one after the other.
  struct Table {
    let name: String
    let columnCount: Int
    var values: [Value] = []

    var rowCount: Int { values.count / max(columnCount, 1) }
  }

  /// A value of 16 bytes; texts and blobs are elsewhere.
  enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(offset: UInt32, count: UInt32)
    case blob(offset: UInt32, count: UInt32)
  }

  private(set) var tables: [Table] = []
  /// The statements that make the tables, and then the indexes.
  private(set) var tableStatements: [String] = []
  private(set) var indexStatements: [String] = []
  /// The bytes of texts and blobs.
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
    // An empty text is one all the same.
    guard let start else { return count == 0 ? (UInt32(offset), 0) : nil }
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
    return (UInt32(offset), UInt32(count))
  }

  /// Calls the body with the bytes of all texts and blobs.
  func withBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
    try bytes.withUnsafeBytes(body)
  }
}
