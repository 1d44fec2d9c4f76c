@testable import Generators

/// Databases of a known shape.
enum Samples {
  /// A table of tasks, indexed by integers, dates and text, and by a constraint.
  static func tasks(rows: Int, rowsPerChunk: Int = 500) -> TestDatabase {
    var table = TestTable(
      name: "ZTASK",
      types: ["INTEGER", "INTEGER", "TIMESTAMP", "VARCHAR", "BLOB"],
      rowidColumn: 0,
      indexes: [
        TestTable.Index(name: "I_PROJECT", columns: [.init(position: 1)]),
        TestTable.Index(
          name: "I_DATE",
          columns: [.init(position: 2, isDescending: true), .init(position: 1)]
        ),
        TestTable.Index(name: "I_TITLE", columns: [.init(position: 3)]),
      ],
      rowsPerChunk: rowsPerChunk
    )
    table.rows = (0..<rows).map { task($0, of: rows) }
    return TestDatabase(tables: [table, links(rows: rows, rowsPerChunk: rowsPerChunk)])
  }

  private static func task(_ row: Int, of count: Int) -> TestTable.Row {
    let project = Int64(row * 7_919 % 1_009)
    let date = Double(row * 104_729 % 10_007) / 8
    let blob = [UInt8](repeating: UInt8(row % 251), count: 9_000)
    let values: [TestValue] = [
      .null, row % 7 == 0 ? .null : .integer(project), .real(date),
      .text("Task number \(row * 31 % count)"), row % 97 == 0 ? .blob(blob) : .null,
    ]
    return TestTable.Row(rowid: Int64(row + 1), values: values)
  }

  private static func links(rows: Int, rowsPerChunk: Int) -> TestTable {
    var table = TestTable(
      name: "Z_1TAGS",
      types: ["INTEGER", "INTEGER"],
      indexes: [
        TestTable.Index(
          name: "sqlite_autoindex_Z_1TAGS_1",
          columns: [.init(position: 0), .init(position: 1)],
          isAutomatic: true
        ),
        TestTable.Index(name: "Z_1TAGS_INDEX", columns: [.init(position: 1), .init(position: 0)]),
      ],
      rowsPerChunk: rowsPerChunk
    )
    for row in 0..<rows * 2 {
      let tag = row * 13 % 40 + row % 2 * 40
      let values: [TestValue] = [.integer(Int64(row / 2 + 1)), .integer(Int64(tag))]
      table.rows.append(TestTable.Row(rowid: Int64(row + 1), values: values))
    }
    return table
  }

  /// Returns `count` tables of up to three rows.
  static func tables(_ count: Int) -> TestDatabase {
    TestDatabase(
      tables: (0..<count).map { number in
        var table = TestTable(name: "T\(number)", types: ["INTEGER", "VARCHAR"], rowidColumn: 0)
        table.rows = (0..<number % 4).map {
          TestTable.Row(rowid: Int64($0 + 1), values: [.null, .text("row \($0)")])
        }
        return table
      }
    )
  }
}
