import Foundation
import SQLite
import Testing

struct ConnectionTests {
  @Test func `says which file cannot be opened and why`() throws {
    let database = try TemporaryDatabase()
    for mode in [Connection.Mode.readOnly, .readWrite, .immutable] {
      let error = #expect(throws: SQLiteError.self) {
        try Connection(path: database.path, mode: mode)
      }
      #expect(error?.context == "open \(database.path)")
      #expect(error?.primaryCode == 14)
    }
  }

  @Test func `says that a file is no database`() throws {
    let database = try TemporaryDatabase()
    try Data(repeating: 0x41, count: 4096).write(to: URL(fileURLWithPath: database.path))
    let error = #expect(throws: SQLiteError.self) { try database.open() }
    #expect(error?.isNotADatabase == true)
    #expect(error?.isCorrupt == false)
  }

  @Test(arguments: [
    "a b.sqlite", "50%.sqlite", "what?.sqlite", "#1.sqlite", "grün.sqlite", "a&b=c",
  ])
  func `opens a file whatever its name`(_ name: String) throws {
    let database = try TemporaryDatabase(name: name)
    try database.fill(rows: 1)
    #expect(FileManager.default.fileExists(atPath: database.path))
    let connection = try Connection(path: database.path, mode: .readOnly)
    #expect(try connection.integer("SELECT count(*) FROM item") == 1)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `reading a -wal as root leaves its owner and its times`() throws {
    let database = try TemporaryDatabase()
    let writer = try database.open(ConnectionSettings())
    try writer.execute("PRAGMA journal_mode=WAL")
    try writer.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
    let wal = database.path + "-wal"
    // If not prevented, SQLite as root would give the -wal the owner of the database.
    #expect(chown(wal, 4711, 4711) == 0)
    var (before, after) = (stat(), stat())
    #expect(stat(wal, &before) == 0 && before.st_size > 0)
    usleep(20_000)
    let reader = try Connection(path: database.path, mode: .readOnly)
    #expect(try reader.integer("SELECT count(*) FROM item") == 0)
    #expect(stat(wal, &after) == 0)
    #expect(after.st_uid == 4711)
    #expect(after.st_ctim.tv_nsec == before.st_ctim.tv_nsec)
  }

  @Test func `gives the words of SQLite, its code and the statement`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    let error = #expect(throws: SQLiteError.self) { try connection.execute("SELECT a FROM b") }
    #expect(error == SQLiteError(code: 1, message: "no such table: b", context: "SELECT a FROM b"))
    #expect(
      error?.description
        == "SQLite error 1: no such table: b - while executing 'SELECT a FROM b'"
    )
    let empty = #expect(throws: SQLiteError.self) { try connection.execute("-- nothing") }
    #expect(empty?.message == "there is no statement")
  }

  @Test func `reports a broken constraint by its extended code`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    try connection.execute("CREATE TABLE item (name TEXT UNIQUE)")
    try connection.execute("INSERT INTO item VALUES ('a')")
    let error = #expect(throws: SQLiteError.self) {
      try connection.execute("INSERT INTO item VALUES ('a')")
    }
    #expect(error?.isConstraint == true)
    #expect(error?.code == 2067)
  }

  @Test func `keeps what a transaction did, or nothing of it`() throws {
    struct Stop: Error {}
    let database = try TemporaryDatabase()
    try database.fill(rows: 3)
    let connection = try database.open()
    let result = try connection.transaction {
      try connection.execute("DELETE FROM item WHERE id = 1")
      return connection.changes
    }
    #expect(result == 1)
    #expect(throws: Stop.self) {
      try connection.transaction {
        try connection.execute("DELETE FROM item")
        throw Stop()
      }
    }
    #expect(try connection.integer("SELECT count(*) FROM item") == 2)
  }

  @Test func `keeps the error where SQLite rolled back by itself`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 3)
    let connection = try database.open()
    let error = #expect(throws: SQLiteError.self) {
      try connection.transaction {
        try connection.execute("INSERT OR ROLLBACK INTO item (id) VALUES (1)")
      }
    }
    #expect(error?.isConstraint == true)
    try connection.transaction { try connection.execute("DELETE FROM item") }
  }

  @Test func `says that another connection writes`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 3)
    let (first, second) = (try database.open(), try database.open())
    try first.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: SQLiteError.self) { try second.transaction {} }
    #expect(error?.isBusy == true)
  }

  @Test func `moves the WAL into the file, and says where a reader keeps it from that`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    try connection.executeScript(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2)"])
    func walBytes() -> Int {
      let attributes = try? FileManager.default.attributesOfItem(atPath: database.path + "-wal")
      return (attributes?[.size] as? NSNumber)?.intValue ?? -1
    }
    #expect(walBytes() > 0)
    try connection.checkpoint()
    #expect(walBytes() == 0)

    let reader = try database.open()
    let row = try reader.prepare("SELECT a FROM t")
    #expect(try row.step())
    try connection.execute("INSERT INTO t VALUES (3)")
    let error = #expect(throws: SQLiteError.self) { try connection.checkpoint() }
    #expect(error?.isBusy == true)
    row.reset()
    try connection.checkpoint()
  }

  @Test func `writes nothing where it only reads`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 3)
    let connection = try Connection(path: database.path, mode: .immutable)
    #expect(throws: SQLiteError.self) { try connection.execute("DELETE FROM item") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: database.folder) == ["test.sqlite"])
  }

  @Test func `tells the SQL of each statement that is prepared, a cached one once`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    var sql: [String] = []
    connection.onPrepare = { sql.append($0) }
    for _ in 1...3 { try connection.cached("SELECT 1").run() }
    #expect(try connection.integer("SELECT 2") == 2)
    #expect(sql == ["SELECT 1", "SELECT 2"])
  }
}
