import Basics
import DataModel

/// Everything that a database file holds, in the order in which SQLite would have created it.
package struct DatabasePlan: Sendable {
  /// One row of sqlite_schema.
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
  /// Bytes of a page: a power of two from 512 to 65,536.
  var pageSize = 4_096
  /// Percent of a leaf that is used before the next one is begun.
  var fill = 100
  /// The share of the file's pages that are free, below 1.
  var freeShare = 0.0
  /// The library version in the header: a constant, for the bytes to be the same everywhere.
  var versionNumber: UInt32 = 3_040_001
  /// The header's schema cookie.
  var schemaCookie: UInt32
  /// Where the bytes lie by which SQLite locks a file: their page stays empty.
  var lockBytePosition = 1 << 30

  /// Presets the schema cookie to the number of statements that create the items, at least 1.
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

/// A table to write: its definition and what makes its rows.
package struct TablePlan: Sendable {
  let name: String
  /// The statement as sqlite_schema keeps it: `CREATE TABLE ` and the text from the name on.
  let sql: String
  /// The affinity of each column, in declared order.
  let columns: [Affinity]
  /// The position of the INTEGER PRIMARY KEY, which stands for the rowid.
  let rowidColumn: Int?
  let source: any RowSource
  /// Percent of a leaf that is used; `nil` as in all of the file.
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

/// What makes the rows of a table, chunk by chunk, on any thread and in any order.
package protocol RowSource: Sendable {
  /// Fixed by what is written, never by threads or memory: each chunk begins a page.
  var chunkCount: Int { get }

  /// Appends the rows of one chunk, ascending by rowid within it and over all chunks.
  func encode(chunk: Int, into rows: inout RowEncoder) throws
}

/// An index to write, its keys taken from the rows of a table.
package struct IndexPlan: Sendable {
  /// One column of an index.
  struct Column: Hashable, Sendable {
    /// The column's position in the table, from 0.
    let position: Int
    var isDescending = false
  }

  let name: String
  let table: String
  /// The statement as sqlite_schema keeps it; `nil` for an index that a constraint makes.
  let sql: String?
  let columns: [Column]
  /// Whether no two rows may have the same key, NULLs being distinct.
  let isUnique: Bool
  /// Percent of a leaf that is used; `nil` as in all of the file.
  var fill: Int?
}

/// The type that a column prefers, by which SQLite decides how a value is stored.
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

/// The few rows of a system table or of sqlite_schema.
struct FixedRows: RowSource {
  let rows: [[Value]]
  /// The place of the rowid among the values; rows are counted from 1 where there is none.
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
