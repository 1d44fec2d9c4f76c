@testable import Generators

/// A table with its indexes and rows, for both the writer and SQLite.
struct TestTable {
  struct Index {
    var name: String
    var columns: [IndexPlan.Column]
    var isUnique = false
    /// Whether a constraint of the table creates the index.
    var isAutomatic = false
  }

  struct Row {
    var rowid: Int64
    var values: [TestValue]
  }

  var name: String
  var types: [String]
  var rowidColumn: Int?
  var indexes: [Index] = []
  var rows: [Row] = []
  var rowsPerChunk = 50
  /// The filled share of the leaf pages of the table and its indexes, in percent.
  var fill: Int?

  var definition: String {
    var parts = types.enumerated().map { position, type in
      position == rowidColumn ? "c\(position) INTEGER PRIMARY KEY" : "c\(position) \(type)"
    }
    for index in indexes where index.isAutomatic {
      let columns = index.columns.map { "c\($0.position)" }.joined(separator: ", ")
      parts.append("\(index.isUnique ? "UNIQUE" : "PRIMARY KEY") (\(columns))")
    }
    return "CREATE TABLE \(name) (\(parts.joined(separator: ", ")))"
  }

  func definition(of index: Index) -> String? {
    guard !index.isAutomatic else { return nil }
    let columns = index.columns.map { "c\($0.position)" + ($0.isDescending ? " DESC" : "") }
    let unique = index.isUnique ? "UNIQUE " : ""
    return "CREATE \(unique)INDEX \(index.name) ON \(name) (\(columns.joined(separator: ", ")))"
  }

  var items: [DatabasePlan.Item] {
    let table = TablePlan(
      name: name,
      sql: definition,
      columns: types.map(Affinity.init(declaredType:)),
      rowidColumn: rowidColumn,
      source: Source(rows: rows, rowsPerChunk: rowsPerChunk),
      fill: fill
    )
    return [.table(table)]
      + indexes.map { index in
        .index(
          IndexPlan(
            name: index.name,
            table: name,
            sql: definition(of: index),
            columns: index.columns,
            isUnique: index.isUnique || index.isAutomatic,
            fill: fill
          )
        )
      }
  }

  private struct Source: RowSource, @unchecked Sendable {
    let rows: [Row]
    let rowsPerChunk: Int

    var chunkCount: Int { (rows.count + rowsPerChunk - 1) / rowsPerChunk }

    func encode(chunk: Int, into encoder: inout RowEncoder) throws {
      for row in rows[chunk * rowsPerChunk..<min((chunk + 1) * rowsPerChunk, rows.count)] {
        for value in row.values { value.append(to: &encoder) }
        try encoder.endRow(rowid: row.rowid)
      }
    }
  }
}
