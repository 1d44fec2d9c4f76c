import SQLite
import Testing

struct UntrustedSchemaTests {
  private func distrusting(_ database: TemporaryDatabase) throws -> Connection {
    let connection = try database.open()
    try connection.distrustSchema()
    return connection
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
    try database.open().execute("DELETE FROM item WHERE id = 2")
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

  @Test func `still reads and writes the tables themselves`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 3)
    let connection = try distrusting(database)
    try connection.execute("INSERT INTO item (name) VALUES ('four')")
    #expect(try connection.integer("SELECT count(*) FROM item") == 4)
    #expect(try connection.text("PRAGMA cell_size_check") == "1")
  }
}
