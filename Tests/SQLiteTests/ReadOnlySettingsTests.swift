import Testing

@testable import SQLite

struct ReadOnlySettingsTests {
  private let database: TemporaryDatabase

  init() throws {
    database = try TemporaryDatabase()
  }

  @Test(arguments: [Connection.Mode.readOnly, .immutable])
  func `a connection that only reads takes the settings of one that writes`(
    _ mode: Connection.Mode
  ) throws {
    try database.open().executeScript(["CREATE TABLE t (a)", "INSERT INTO t VALUES (7)"])
    let connection = try Connection(
      path: database.path,
      mode: mode,
      settings: ConnectionSettings(cachePages: 123)
    )
    #expect(try connection.integer("SELECT a FROM t") == 7)
    #expect(try connection.integer("PRAGMA cache_size") == 123)
    #expect(try connection.integer("PRAGMA auto_vacuum") == 2)
    #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (8)") }
  }
}
