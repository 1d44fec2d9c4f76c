import SQLite
import TestSupport
import Testing

@testable import Generators

/// Tests that SQLite can change a file of the bulk writer without damaging it.
struct OperationsTests {
  @Test(arguments: [
    ["CREATE TABLE NEW (a, b)", "CREATE INDEX NEW_A ON NEW (a)", "INSERT INTO NEW VALUES (1, 2)"],
    ["DROP TABLE ZTASK"],
    ["DROP TABLE Z_1TAGS"],
    ["DROP TABLE T1", "DROP TABLE T3", "CREATE TABLE AGAIN (a)"],
    ["DROP INDEX I_DATE"],
    ["DELETE FROM ZTASK WHERE c0 % 2", "PRAGMA incremental_vacuum"],
    ["DELETE FROM ZTASK WHERE c0 % 2", "VACUUM"],
    ["PRAGMA auto_vacuum = FULL", "DELETE FROM Z_1TAGS WHERE rowid % 3"],
    ["UPDATE ZTASK SET c3 = c3 || ' again and again', c1 = 0", "PRAGMA wal_checkpoint(TRUNCATE)"],
    ["INSERT INTO ZTASK SELECT c0 + 100000, c1, c2, c3, c4 FROM ZTASK"],
  ])
  func `stays whole when SQLite changes it`(statements: [String]) throws {
    let folder = try TemporaryFolder()
    var database = Samples.tasks(rows: 2_000)
    database.tables += Samples.tables(5).tables
    let path = try database.write(in: folder)
    try run(statements, on: path)
    try Judgement.expectIntegrity(of: path)
  }

  private func run(_ statements: [String], on path: String) throws {
    let connection = try Connection(path: path, mode: .readWrite, settings: nil)
    for statement in statements {
      try connection.execute(statement)
      #expect(try connection.text("PRAGMA integrity_check") == "ok", "after \(statement)")
    }
    try connection.checkpoint()
  }
}
