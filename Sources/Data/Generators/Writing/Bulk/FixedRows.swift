import BulkWriter
import DataModel
import PersistentStore

/// The few rows of a system table.
struct FixedRows: RowSource {
  private let rows: [[Value]]
  /// The place of the rowid among the values; rows are counted from 1 where there is none.
  private let rowidColumn: Int?

  init(_ rows: [[Value]], rowidColumn: Int?) {
    self.rows = rows
    self.rowidColumn = rowidColumn
  }

  var chunkCount: Int { rows.isEmpty ? 0 : 1 }

  func encode(chunk: Int, into encoder: inout RowEncoder) throws {
    for (place, row) in rows.enumerated() {
      for value in row { append(value, to: &encoder) }
      try encoder.endRow(rowid: rowid(of: row) ?? Int64(place + 1))
    }
  }

  private func rowid(of row: [Value]) -> Int64? {
    guard let rowidColumn, case .integer(let key) = row[rowidColumn] else { return nil }
    return key
  }

  private func append(_ value: Value, to encoder: inout RowEncoder) {
    switch value {
    case .null: encoder.appendNull()
    case .integer(let integer): encoder.append(integer)
    case .real(let real): encoder.append(real)
    case .text(let text): Array(text.utf8).withUnsafeBytes { encoder.appendText($0) }
    case .blob(let bytes): bytes.withUnsafeBytes { encoder.appendBlob($0) }
    }
  }
}
