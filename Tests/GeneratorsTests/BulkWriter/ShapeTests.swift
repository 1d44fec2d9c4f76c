import Foundation
import SQLite
import TestSupport
import Testing

@testable import Generators

/// Tests databases whose tables, rows or pages are at the limits of the file format.
struct ShapeTests {
  private func expectGood(_ database: TestDatabase) throws {
    let folder = try TemporaryFolder()
    let path = try database.write(in: folder, threads: 2)
    try Judgement.expectIntegrity(of: path)
    try Judgement.expectSameRecords(path, try database.insert(in: folder))
    if let judge = OutsideProgram.checkDatabase {
      let verdict = try judge.run([path])
      #expect(verdict.output.hasPrefix("\(path): ok"), "\(verdict.errors)")
    }
  }

  @Test func `writes a database of nothing`() throws {
    try expectGood(TestDatabase(tables: []))
  }

  /// The first pointer-map page describes pages 3 to 821, all of them roots.
  @Test(arguments: [818, 819, 820])
  func `carries roots over a map page`(count: Int) throws {
    try expectGood(Samples.tables(count))
  }

  @Test func `writes two thousand columns, whose header itself overflows`() throws {
    var table = TestTable(name: "WIDE", types: Array(repeating: "VARCHAR", count: 2_000))
    table.rows = (0..<3).map { row in
      TestTable.Row(
        rowid: Int64(row + 1),
        values: (0..<2_000).map { .text(String(repeating: "x", count: ($0 * 7 + row) % 90)) }
      )
    }
    table.indexes = [TestTable.Index(name: "I", columns: [.init(position: 1_999)])]
    try expectGood(TestDatabase(tables: [table]))
  }

  /// A row takes about 44 of a leaf's 4,088 bytes, so these numbers of rows fill about one or two
  /// leaves.
  @Test(arguments: [88, 89, 90, 91, 92, 93, 94, 184, 185, 186, 187])
  func `fills leaves to their last byte`(rows: Int) throws {
    var table = TestTable(
      name: "T",
      types: ["BLOB"],
      indexes: [TestTable.Index(name: "I", columns: [.init(position: 0)])]
    )
    table.rowsPerChunk = 1_000
    table.rows = (0..<rows).map {
      let bytes = [UInt8(truncatingIfNeeded: $0), 1] + [UInt8](repeating: 7, count: 36)
      return TestTable.Row(rowid: Int64($0 + 1), values: [.blob(bytes)])
    }
    try expectGood(TestDatabase(tables: [table]))
  }

  @Test(arguments: [512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536])
  func `writes pages of every size`(pageSize: Int) throws {
    // 1,500 rows need several pages even of 65,536 bytes.
    var database = Samples.tasks(rows: 1_500)
    database.pageSize = pageSize
    try expectGood(database)
  }

  @Test func `leaves room on the leaves where the plan says so`() throws {
    let folder = try TemporaryFolder()
    var database = Samples.tasks(rows: 3_000)
    database.fill = 50
    let path = try database.write(in: folder)
    try Judgement.expectIntegrity(of: path)
    let sparse = try size(of: path)
    database.fill = 100
    let full = try size(of: try database.write(in: folder, "full"))
    #expect(sparse > full * 3 / 2)
  }

  private func size(of path: String) throws -> Int {
    try Data(contentsOf: URL(fileURLWithPath: path)).count
  }
}
