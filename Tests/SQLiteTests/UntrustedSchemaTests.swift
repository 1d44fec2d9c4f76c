import SQLite
import Testing

struct UntrustedSchemaTests {
  private func distrusting(_ database: TemporaryDatabase) throws -> Connection {
    try database.open()
  }

  @Test func `runs no trigger of the file`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 3)
    try database.open().execute(
      "CREATE TRIGGER t AFTER DELETE ON item BEGIN UPDATE item SET name = 'hit'; END"
    )
    let connection = try distrusting(database)
    try connection.execute("DELETE FROM item WHERE id = 1")
    #expect(try connection.integer("SELECT count(*) FROM item WHERE name = 'hit'") == 0)
    let trusting = try Connection(path: database.path, trust: .full)
    try trusting.execute("DELETE FROM item WHERE id = 2")
    #expect(try connection.integer("SELECT count(*) FROM item WHERE name = 'hit'") == 1)
  }

  @Test func `reads no view of the file`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 3)
    try database.open().execute("CREATE VIEW v AS SELECT id FROM item")
    let connection = try distrusting(database)
    let error = #expect(throws: SQLiteError.self) { try connection.integer("SELECT id FROM v") }
    #expect(error?.message.contains("prohibited") == true)
  }

  @Test func `does not let the schema be written as a table`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 3)
    let connection = try distrusting(database)
    #expect(throws: SQLiteError.self) {
      try connection.execute("PRAGMA writable_schema=on")
      try connection.execute("UPDATE sqlite_schema SET sql = 'CREATE TABLE item (a)'")
    }
  }

  @Test func `evaluates no check`() throws {
    let database = try TemporaryDatabase()
    try Connection(path: database.path, mode: .create, trust: .full).execute(
      "CREATE TABLE checked (a CHECK (a > 1))"
    )
    try distrusting(database).execute("INSERT INTO checked VALUES (1)")
    #expect(throws: SQLiteError.self) {
      try Connection(path: database.path, trust: .full).execute("INSERT INTO checked VALUES (1)")
    }
  }

  @Test func `takes no SQL with a NUL`() throws {
    let connection = try TemporaryDatabase().open()
    #expect(throws: SQLiteError.self) { try connection.execute("SELECT 1\0; DROP TABLE item") }
  }

  @Test func `still reads and writes the tables themselves`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 3)
    let connection = try distrusting(database)
    try connection.execute("INSERT INTO item (name) VALUES ('four')")
    #expect(try connection.integer("SELECT count(*) FROM item") == 4)
    #expect(try connection.text("PRAGMA trusted_schema") == "0")
  }
}
