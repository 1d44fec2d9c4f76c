import Basics
import DataModel

/// The contents of a database file, in the order in which SQLite would have created them.
package struct DatabasePlan: Sendable {
  /// A row of sqlite_schema.
  package enum Item: Sendable {
    case table(TablePlan)
    case index(IndexPlan)

    var name: String {
      switch self {
      case .table(let table): table.name
      case .index(let index): index.name
      }
    }

    fileprivate var fill: Int? {
      switch self {
      case .table(let table): table.fill
      case .index(let index): index.fill
      }
    }

    var sql: String? {
      switch self {
      case .table(let table): table.sql
      case .index(let index): index.sql
      }
    }
  }

  package var items: [Item]
  /// The page size in bytes: a power of two from 512 to 65,536.
  var pageSize = 4_096
  var fill = 100
  /// The share of the file's pages that are free, less than 1.
  var freeShare = 0.0
  /// The SQLite version number in the header: a constant, so that all machines write the same
  /// bytes.
  var versionNumber: UInt32 = 3_040_001
  /// The schema cookie in the header.
  var schemaCookie: UInt32
  /// The file offset of the bytes that SQLite uses for locking; their page stays empty.
  var lockBytePosition = 1 << 30

  /// Creates a plan for tables and indexes.
  ///
  /// The schema cookie is the number of statements that create them, but at least 1.
  package init(items: [Item]) {
    self.items = items
    schemaCookie = UInt32(clamping: max(items.count { $0.sql != nil }, 1))
  }

  func validate() throws {
    guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      throw Refusal.invalidPlan("\(pageSize) bytes are not a page size of SQLite")
    }
    for fill in [fill] + items.compactMap(\.fill) where !(1...100).contains(fill) {
      throw Refusal.invalidPlan("\(fill) is not a percentage from 1 to 100")
    }
    guard (0..<1).contains(freeShare) else {
      throw Refusal.invalidPlan("\(freeShare) is not a share of a file's pages")
    }
    guard lockBytePosition >= pageSize * (items.count + 4) * 2 else {
      throw Refusal.invalidPlan("the lock bytes lie among the roots")
    }
    for case .table(let table) in items where !(1...32_767).contains(table.columns.count) {
      throw Refusal.invalidPlan("table '\(table.name)' has \(table.columns.count) columns")
    }
    for case .index(let index) in items {
      guard let table = table(of: index) else {
        throw Refusal.bug(
          "index '\(index.name)' is on '\(index.table)', which is not a table of the "
            + "database"
        )
      }
      guard index.columns.allSatisfy({ table.columns.indices.contains($0.position) }) else {
        throw Refusal.invalidPlan("index '\(index.name)' names a column that does not exist")
      }
    }
  }

  private func table(of index: IndexPlan) -> TablePlan? {
    for case .table(let table) in items where table.name == index.table { return table }
    return nil
  }
}

/// A table to write: its definition and the source of its rows.
package struct TablePlan: Sendable {
  let name: String
  /// The CREATE TABLE statement as stored in sqlite_schema.
  ///
  /// `CREATE TABLE ` is followed by the statement's text from the table's name on.
  let sql: String
  let columns: [Affinity]
  /// The position of the INTEGER PRIMARY KEY column, an alias of the rowid; `nil` if the table has
  /// no such column.
  let rowidColumn: Int?
  let source: any RowSource
  let fill: Int?

  package init(
    name: String,
    sql: String,
    columns: [Affinity],
    rowidColumn: Int?,
    source: any RowSource,
    fill: Int? = nil
  ) {
    self.name = name
    self.sql = sql
    self.columns = columns
    self.rowidColumn = rowidColumn
    self.source = source
    self.fill = fill
  }
}

/// A source of a table's rows, which can encode chunks (parts of the table) on any thread and in
/// any order.
package protocol RowSource: Sendable {
  /// The number of chunks.
  ///
  /// It must depend only on the data, not on threads or memory, because each chunk begins a new
  /// page.
  var chunkCount: Int { get }

  /// Appends the rows of a chunk.
  ///
  /// Rowids must ascend within a chunk and from chunk to chunk.
  ///
  /// - Throws: An error if the rows cannot be generated or encoded.
  func encode(chunk: Int, into rows: inout RowEncoder) throws
}

/// An index to write; its keys are taken from the rows of its table.
package struct IndexPlan: Sendable {
  struct Column: Hashable, Sendable {
    let position: Int
    var isDescending = false
  }

  let name: String
  let table: String
  /// The CREATE INDEX statement as stored in sqlite_schema; `nil` if a constraint creates the
  /// index.
  let sql: String?
  let columns: [Column]
  /// Whether keys must be unique; NULLs are distinct from each other.
  let isUnique: Bool
  var fill: Int?
}

/// A column's type affinity, which determines how SQLite stores its values.
package enum Affinity: UInt8, Hashable, Sendable {
  case blob
  case text
  case numeric
  case integer
  case real

  /// The affinity of a declared type (https://www.sqlite.org/datatype3.html, section 3.1).
  init(declaredType: String) {
    let type = declaredType.uppercased()
    if type.contains("INT") {
      self = .integer
    } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
      self = .text
    } else if type.isEmpty || type.contains("BLOB") {
      self = .blob
    } else if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) {
      self = .real
    } else {
      self = .numeric
    }
  }
}

/// The rows of a small table, such as a system table or sqlite_schema.
struct FixedRows: RowSource {
  let rows: [[Value]]
  /// The position of the rowid among the values; if `nil`, rows are numbered from 1.
  let rowidColumn: Int?

  var chunkCount: Int { rows.isEmpty ? 0 : 1 }

  func encode(chunk: Int, into encoder: inout RowEncoder) throws {
    for (place, row) in rows.enumerated() {
      var rowid = Int64(place + 1)
      for (column, value) in row.enumerated() {
        switch value {
        case .null: encoder.appendNull()
        case .integer(let integer):
          if column == rowidColumn { rowid = integer }
          encoder.append(integer)
        case .real(let real): encoder.append(real)
        case .text(let text): Array(text.utf8).withUnsafeBytes { encoder.appendText($0) }
        case .blob(let bytes): bytes.withUnsafeBytes { encoder.appendBlob($0) }
        }
      }
      try encoder.endRow(rowid: rowid)
    }
  }
}
