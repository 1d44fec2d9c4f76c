/// Why a database could not be written.
package enum BulkWriterError: Error, Hashable {
  case cannotWrite(path: String, reason: String)
  case cannotRead(path: String, reason: String)
  /// A page size, fill or position that SQLite does not allow.
  case invalidPlan(String)
  case unknownTable(index: String, table: String)
  case wrongColumnCount(table: String, rowid: Int64, expected: Int, found: Int)
  case rowsOutOfOrder(table: String, rowid: Int64, after: Int64)
  case rowTooLarge(table: String, rowid: Int64, bytes: Int)
  /// Two rows have the same key in a unique index.
  case duplicateKey(index: String, rowids: [Int64])
}

extension BulkWriterError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .cannotWrite(let path, let reason): "cannot write '\(path)': \(reason)"
    case .cannotRead(let path, let reason): "cannot read '\(path)': \(reason)"
    case .invalidPlan(let reason): "cannot lay out the database: \(reason)"
    case .unknownTable(let index, let table):
      "index '\(index)' is on '\(table)', which is not a table of the database"
    case .wrongColumnCount(let table, let rowid, let expected, let found):
      "row \(rowid) of '\(table)' has \(found) values for \(expected) columns"
    case .rowsOutOfOrder(let table, let rowid, let after):
      "row \(rowid) of '\(table)' comes after row \(after): rows must ascend by their rowid"
    case .rowTooLarge(let table, let rowid, let bytes):
      "row \(rowid) of '\(table)' has \(bytes) bytes, more than SQLite's limit of 1,000,000,000"
    case .duplicateKey(let index, let rowids):
      "rows \(rowids.map(String.init).joined(separator: " and ")) have the same key in the unique "
        + "index '\(index)'"
    }
  }
}
