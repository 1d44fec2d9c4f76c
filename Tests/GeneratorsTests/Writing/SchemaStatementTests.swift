import Testing

@testable import Generators

struct SchemaStatementTests {
  @Test func `tables have their columns, types and keys`() {
    #expect(
      SchemaStatement(
        "CREATE TABLE T ( A INTEGER PRIMARY KEY, B VARCHAR(255), C, PRIMARY KEY (B, C) )"
      )
        == .table(
          name: "T",
          columns: [
            .init(name: "A", type: "INTEGER", isRowid: true),
            .init(name: "B", type: "VARCHAR(255)", isRowid: false),
            .init(name: "C", type: "", isRowid: false),
          ],
          keys: [["B", "C"]]
        )
    )
  }

  @Test func `unique columns come before the constraints of their table`() {
    #expect(
      SchemaStatement(
        "CREATE TABLE T ( A INTEGER PRIMARY KEY, B VARCHAR UNIQUE, C BLOB, "
          + "CONSTRAINT B_C UNIQUE (B, C), CONSTRAINT C_A UNIQUE (C, A))"
      )
        == .table(
          name: "T",
          columns: [
            .init(name: "A", type: "INTEGER", isRowid: true),
            .init(name: "B", type: "VARCHAR", isRowid: false),
            .init(name: "C", type: "BLOB", isRowid: false),
          ],
          keys: [["B"], ["B", "C"], ["C", "A"]]
        )
    )
  }

  @Test(arguments: [("", false), ("UNIQUE ", true)])
  func `indexes have their table, columns and directions`(word: String, isUnique: Bool) {
    #expect(
      SchemaStatement("CREATE \(word)INDEX I ON T (A COLLATE BINARY DESC, B COLLATE BINARY ASC, C)")
        == .index(
          name: "I",
          table: "T",
          columns: [
            .init(name: "A", isDescending: true), .init(name: "B", isDescending: false),
            .init(name: "C", isDescending: false),
          ],
          isUnique: isUnique
        )
    )
  }

  @Test(arguments: ["", "CREATE VIEW V AS SELECT 1", "CREATE VIRTUAL TABLE R USING rtree(a, b, c)"])
  func `other statements are not taken for one of them`(sql: String) {
    #expect(SchemaStatement(sql) == nil)
  }
}
