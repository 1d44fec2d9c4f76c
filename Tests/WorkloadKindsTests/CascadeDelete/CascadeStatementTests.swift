import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

/// Tests the statements of each strategy, as text.
struct CascadeStatementTests {
  private static let small: [String: ParameterValue] = [
    "depth": .integer(1), "fanOut": .integer(2), "roots": .integer(2), "share": .real(0.5),
  ]

  /// The statements that a case prepares while it runs.
  private func statements(_ values: [String: ParameterValue]) throws -> [String] {
    let bench = try CascadeFixture.bench()
    let opened = try bench.open(Self.small.merging(values) { $1 })
    var statements: [String] = []
    opened.session.store.connection.onPrepare = { statements.append($0) }
    try? opened.workload.run(opened.session, opened.recorder)
    opened.session.store.connection.onPrepare = nil
    return statements
  }

  @Test func `a context faults relationships and objects, and deletes row by row`() throws {
    #expect(
      try statements(["strategy": .text("objectByObject")]) == [
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNUMBER, t0.ZNAME FROM ZNODE0 t0 WHERE t0.Z_PK IN (2)",
        "SELECT 0, t0.Z_PK FROM ZNODE1 t0 WHERE t0.ZPARENT = ?",
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNUMBER, t0.ZPARENT, t0.ZNAME FROM ZNODE1 t0"
          + " WHERE t0.Z_PK = ?",
        "BEGIN EXCLUSIVE",
        "DELETE FROM ZNODE0 WHERE Z_PK = ? AND Z_OPT = ?",
        "DELETE FROM ZNODE1 WHERE Z_PK = ? AND Z_OPT = ?",
        "COMMIT",
        "pragma page_count",
        "pragma freelist_count",
      ]
    )
  }

  @Test func `a batch delete by level finds keys downwards and deletes upwards`() throws {
    #expect(
      try statements(["strategy": .text("batchDelete")]) == [
        "BEGIN IMMEDIATE",
        "CREATE TEMP TABLE delete_ZNODE0 (key INTEGER PRIMARY KEY)",
        "CREATE TEMP TABLE delete_ZNODE1 (key INTEGER PRIMARY KEY)",
        "CREATE VIRTUAL TABLE temp._Z_intarray0 USING storebench__Z_intarray0",
        "INSERT INTO temp.delete_ZNODE0 SELECT * FROM temp._Z_intarray0",
        "INSERT OR IGNORE INTO temp.delete_ZNODE1 SELECT Z_PK AS key FROM ZNODE1"
          + " WHERE ZPARENT IN (SELECT key FROM temp.delete_ZNODE0)",
        "DELETE FROM ZNODE1 WHERE Z_PK IN (SELECT key FROM temp.delete_ZNODE1)",
        "DELETE FROM ZNODE0 WHERE Z_PK IN (SELECT key FROM temp.delete_ZNODE0)",
        "COMMIT",
      ]
    )
  }

  @Test func `a batch delete of roots alone looks for orphans afterwards`() throws {
    let values: [String: ParameterValue] = [
      "strategy": .text("batchDelete"), "batchShape": .text("orphanCleanup"),
    ]
    #expect(
      try statements(values) == [
        "CREATE VIRTUAL TABLE temp._Z_intarray0 USING storebench__Z_intarray0",
        "BEGIN IMMEDIATE",
        "DELETE FROM ZNODE0 WHERE Z_PK IN (SELECT * FROM temp._Z_intarray0)",
        "COMMIT",
        "DELETE FROM ZNODE1 WHERE ZPARENT IS NOT NULL AND ZPARENT NOT IN (SELECT Z_PK FROM ZNODE0)",
      ]
    )
  }

  @Test func `a batch delete that denies asks before it deletes`() throws {
    let prepared = try statements(["strategy": .text("batchDelete"), "rule": .text("deny")])
    #expect(
      prepared.suffix(2) == [
        "SELECT 1 FROM (SELECT Z_PK AS key FROM ZNODE1"
          + " WHERE ZPARENT IN (SELECT key FROM temp.delete_ZNODE0)) WHERE true LIMIT 1",
        "ROLLBACK",
      ]
    )
  }

  @Test func `a foreign key needs one statement`() throws {
    #expect(
      try statements(["strategy": .text("sqlForeignKey")]) == [
        "CREATE VIRTUAL TABLE temp._Z_roots USING storebench__Z_roots",
        "BEGIN IMMEDIATE",
        "DELETE FROM ZNODE0 WHERE Z_PK IN (SELECT * FROM temp._Z_roots)",
        "COMMIT",
      ]
    )
  }

  @Test(arguments: [("cascade", "CASCADE"), ("nullify", "SET NULL"), ("deny", "RESTRICT")])
  func `an altered store says the rule in a clause, and keeps its indexes`(
    _ rule: String,
    _ action: String
  ) throws {
    let bench = try CascadeFixture.bench()
    let workload = try bench.workload(
      Self.small.merging(["strategy": .text("sqlForeignKey"), "rule": .text(rule)]) { $1 }
    )
    let connection = try bench.start(of: workload).plainConnection()
    #expect(
      try connection.text("SELECT sql FROM sqlite_master WHERE name = 'ZNODE1'")
        == "CREATE TABLE \"ZNODE1\" ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,"
        + " ZNUMBER INTEGER, ZPARENT INTEGER, ZNAME VARCHAR ,"
        + " FOREIGN KEY (ZPARENT) REFERENCES ZNODE0 (Z_PK) ON DELETE \(action))"
    )
    #expect(
      try connection.text("SELECT sql FROM sqlite_master WHERE name = 'ZNODE1_ZPARENT_INDEX'")
        == "CREATE INDEX ZNODE1_ZPARENT_INDEX ON ZNODE1 (ZPARENT)"
    )
    #expect(workload.notes.first?.hasPrefix("altered store: FOREIGN KEY clauses") == true)
  }

  @Test func `a store without child indexes says so and has none`() throws {
    let bench = try CascadeFixture.bench()
    let workload = try bench.workload(Self.small.merging(["childIndex": .boolean(false)]) { $1 })
    let connection = try bench.start(of: workload).plainConnection()
    #expect(
      try connection.integer("SELECT count(*) FROM sqlite_master WHERE tbl_name = 'ZNODE1'") == 1
    )
    #expect(workload.notes.first?.hasPrefix("altered store: child indexes dropped") == true)
    #expect(!workload.behaviours.contains { $0.name == "layout" })
  }
}
