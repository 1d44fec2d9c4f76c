import BulkWriter
import PersistentStore

/// Rows that go straight into the pages of a chunk.
struct BulkRowSink: RowSink {
  /// How a table's rows get their rowid.
  enum Rowids {
    /// The first value of the row.
    case key
    /// One after the other from a number on, as rows that are inserted without one.
    case running(from: Int64)
  }

  // The encoder cannot be stored: it belongs to the caller of `encode`, as long as which a sink lives.
  private let encoder: UnsafeMutablePointer<RowEncoder>
  private let columns: DeclaredColumns
  private var files: GeneratedFiles
  private var rowids: Rowids
  private var key: Int64 = 0
  private var column = 0

  init(
    _ encoder: UnsafeMutablePointer<RowEncoder>,
    columns: DeclaredColumns,
    rowids: Rowids,
    files: GeneratedFiles
  ) {
    self.encoder = encoder
    self.columns = columns
    self.rowids = rowids
    self.files = files
  }

  @inline(__always)
  mutating func append(_ cell: borrowing Cell) throws {
    if columns.hasGaps { appendNulls(columns.nullsBefore[column]) }
    if column == 0 { key = cell.integer }
    column += 1
    switch cell.kind {
    case .null: encoder.pointee.appendNull()
    case .integer: encoder.pointee.append(cell.integer)
    case .real: encoder.pointee.append(cell.real)
    case .text: cell.bytes.withUnsafeBytes { encoder.pointee.appendText($0) }
    case .blob: cell.bytes.withUnsafeBytes { encoder.pointee.appendBlob($0) }
    }
  }

  private func appendNulls(_ count: Int) {
    for _ in 0..<count { encoder.pointee.appendNull() }
  }

  mutating func endRow() throws {
    if columns.hasGaps { appendNulls(columns.nullsBefore[column]) }
    column = 0
    switch rowids {
    case .key: try encoder.pointee.endRow(rowid: key)
    case .running(let rowid):
      try encoder.pointee.endRow(rowid: rowid)
      rowids = .running(from: rowid + 1)
    }
  }

  mutating func write(file name: String, kind: FileKind, contents: borrowing Cell) throws {
    try files.write(name, kind: kind, contents: contents)
  }
}

/// Where the values of a row stand among the declared columns of its table.
struct DeclaredColumns: Sendable {
  /// Whether there are columns that no value is made for.
  let hasGaps: Bool
  /// How many such columns come before each value, and after the last one.
  let nullsBefore: [Int]

  /// `nil` where a value has no column, or where values come in another order than their columns.
  init?(values: [String], of declared: [String]) {
    var nulls: [Int] = []
    var next = 0
    for value in values {
      guard let place = declared[next...].firstIndex(of: value) else { return nil }
      nulls.append(place - next)
      next = place + 1
    }
    nullsBefore = nulls + [declared.count - next]
    hasGaps = values.count < declared.count
  }
}
