import DataModel
import SQLite

/// The rows of a history table by plain SQL, in key order, as values that two stores share.
///
/// Numbers of entities and keys of names differ between stores; their names do not.
struct HistoryRows {
  /// One row: the values stand for `columns`.
  struct Row {
    let key: Int64
    let values: [ContentValue]
  }

  let table: String
  /// The columns' names after Z_PK.
  let columns: [String]
  private let expressions: [String]

  /// The changes; what depends on the model's properties only where two models are equal.
  static func changes(of layout: StoreLayout, withColumns: Bool) -> HistoryRows {
    var columns = ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"]
    if withColumns {
      columns.append("ZCOLUMNS")
      columns += (0..<layout.tombstoneCount).map { "ZTOMBSTONE\($0)" }
    }
    return HistoryRows(
      table: "ACHANGE",
      columns: columns,
      expressions: columns.map(\.quotedColumn)
    )
  }

  static let transactions: HistoryRows = {
    let names = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"]
    let resolved = names.map {
      "coalesce((SELECT s.ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.Z\($0)TS), t.Z\($0))"
    }
    return HistoryRows(
      table: "ATRANSACTION",
      columns: ["ZTIMESTAMP"] + names.map { "Z" + $0 },
      expressions: ["t.ZTIMESTAMP"] + resolved
    )
  }()

  /// The rows up to a key.
  func stream(_ connection: Connection, through last: Int64) throws -> ContentStream<Row> {
    let list = (["t.Z_PK"] + expressions).joined(separator: ", ")
    let row = try connection.prepare(
      "SELECT \(list) FROM \(table) AS t NOT INDEXED WHERE t.Z_PK <= ?1 ORDER BY t.Z_PK"
    )
    row.bind(last, at: 1)
    let count = columns.count
    return ContentStream {
      guard try row.step() else { return nil }
      return Row(
        key: row.integer(at: 0),
        values: (1...count).map { RowReader.plain(row, at: $0) }
      )
    }
  }

  /// The highest key in use; 0 where there is none.
  func lastKey(_ connection: Connection) throws -> Int64 {
    try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
  }
}
