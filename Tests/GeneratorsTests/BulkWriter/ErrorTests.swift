import Basics
import TestSupport
import Testing

@testable import Generators

/// Tests that tables which cannot be written are refused with the reason.
struct ErrorTests {
  private func error(of database: TestDatabase, to path: String? = nil) throws -> Refusal? {
    let folder = try TemporaryFolder()
    let writer = BulkWriter(plan: database.plan, threads: 2, temporaryFolder: folder.path)
    return #expect(throws: Refusal.self) {
      try writer.write(to: path ?? folder.file("refused.sqlite"))
    }
  }

  private func table(_ rows: [(Int64, [TestValue])]) -> TestDatabase {
    var table = TestTable(name: "T", types: ["INTEGER", "VARCHAR"])
    table.rowsPerChunk = 2
    table.rows = rows.map { TestTable.Row(rowid: $0.0, values: $0.1) }
    return TestDatabase(tables: [table])
  }

  @Test func `refuses rows out of order, within a chunk and across chunks`() throws {
    let row: [TestValue] = [.integer(1), .null]
    #expect(
      try error(of: table([(2, row), (2, row)]))
        == .bug("row 2 of 'T' comes after row 2: rows must ascend by their rowid")
    )
    #expect(
      try error(of: table([(1, row), (2, row), (2, row)]))
        == .bug("row 2 of 'T' comes after row 2: rows must ascend by their rowid")
    )
  }

  @Test(arguments: [1, 3])
  func `refuses a row with a different number of values`(found: Int) throws {
    let row = [TestValue](repeating: .integer(1), count: found)
    #expect(
      try error(of: table([(1, row)]))
        == .bug("row 1 of 'T' has \(found) values for 2 columns")
    )
  }

  @Test(arguments: [0, 1])
  func `refuses two rows with one key in a unique index`(column: Int) throws {
    var database = table([
      (1, [.null, .null]), (2, [.null, .null]), (3, [.integer(7), .text("a")]),
      (4, [.integer(8), .text("b")]), (5, [.integer(7), .text("a")]),
    ])
    database.tables[0].indexes = [
      TestTable.Index(name: "U", columns: [.init(position: column)], isUnique: true)
    ]
    #expect(
      try error(of: database)
        == .bug("rows 3 and 5 have the same key in the unique index 'U'")
    )
  }

  @Test func `says what it cannot write to`() throws {
    let refused = try error(of: table([]), to: "/nowhere/refused.sqlite")
    #expect(
      refused?.description == "cannot write '/nowhere/refused.sqlite': no such file or directory"
    )
  }

  @Test func `refuses an index on a table that is not there`() throws {
    let index = IndexPlan(name: "I", table: "U", sql: nil, columns: [], isUnique: false)
    let folder = try TemporaryFolder()
    let writer = BulkWriter(
      plan: DatabasePlan(items: [.index(index)]),
      threads: 1,
      temporaryFolder: folder.path
    )
    #expect(throws: Refusal.bug("index 'I' is on 'U', which is not a table of the database")) {
      try writer.write(to: folder.file("refused"))
    }
  }
}
