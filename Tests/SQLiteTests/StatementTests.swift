import SQLite
import Testing

struct StatementTests {
  @Test func `gives back what was bound, with its storage class`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    let row = try connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8")
    row.bind(Int64.min, at: 1)
    row.bind(0.1, at: 2)
    row.bind("Grüße\0日本", at: 3)
    row.bind([0, 255, 0], at: 4)
    row.bindNull(at: 5)
    row.bind("", at: 6)
    row.bind([] as [UInt8], at: 7)
    row.bind(String(repeating: "long ", count: 1000), at: 8)
    #expect(try row.step())
    let classes: [Statement.StorageClass] = [
      .integer, .real, .text, .blob, .null, .text, .blob, .text,
    ]
    #expect((0..<8).map { row.storageClass(at: $0) } == classes)
    #expect((0..<8).map { row.typeCode(at: $0) } == classes.map(\.rawValue))
    #expect(row.integer(at: 0) == .min)
    #expect(row.real(at: 1) == 0.1)
    #expect(row.text(at: 2) == "Grüße\0日本")
    #expect(row.blob(at: 3) == [0, 255, 0])
    #expect(row.isNull(at: 4))
    #expect(row.text(at: 5) == "")
    #expect(row.blob(at: 6) == [])
    #expect(row.withBytes(at: 7) { $0.count } == 5000)
    #expect(try !row.step())
  }

  @Test func `names its columns and its SQL`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    let row = try connection.prepare("SELECT 1 AS first, 2 AS second")
    #expect(row.columnCount == 2)
    #expect((0..<3).map { row.columnName(at: $0) } == ["first", "second", ""])
    #expect(row.sql == "SELECT 1 AS first, 2 AS second")
  }

  @Test func `makes the bytes of a text that is not UTF-8 readable`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    let row = try connection.prepare("SELECT CAST(x'41ff42' AS TEXT)")
    #expect(try row.step())
    #expect(row.text(at: 0) == "A\u{fffd}B")
    #expect(row.blob(at: 0) == [0x41, 0xff, 0x42])
  }

  @Test func `runs again after its end, after a reset and after an error`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    try connection.execute("CREATE TABLE t (a UNIQUE)")
    let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
    for value: Int64 in [1, 2, 2, 3] {
      insert.bind(value, at: 1)
      do { try insert.run() } catch let error as SQLiteError { #expect(error.isConstraint) }
    }
    let select = try connection.prepare("SELECT a FROM t ORDER BY a")
    #expect(try select.step())
    #expect(try select.step())
    select.reset()
    var values: [Int64] = []
    while try select.step() { values.append(select.integer(at: 0)) }
    while try select.step() { values.append(select.integer(at: 0)) }
    #expect(values == [1, 2, 3, 1, 2, 3])
  }

  @Test func `keeps its parameters until they are cleared`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    let row = try connection.prepare("SELECT ?1")
    row.bind(7 as Int64, at: 1)
    for _ in 1...2 {
      #expect(try row.step())
      #expect(row.integer(at: 0) == 7)
      row.reset()
    }
    row.clearBindings()
    #expect(try row.step())
    #expect(row.isNull(at: 0))
  }

  @Test func `lives on when its connection is let go, and closes the file at last`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 3)
    func orphan() throws -> Statement {
      try database.open().prepare("SELECT id FROM item ORDER BY id")
    }
    var row: Statement? = try orphan()
    var ids: [Int64] = []
    while let statement = row, try statement.step() { ids.append(statement.integer(at: 0)) }
    #expect(ids == [1, 2, 3])
    row = nil
    // The last connection to close removes the WAL, so a new journal mode can be set.
    let connection = try database.open(ConnectionSettings(journalMode: .delete))
    #expect(try connection.text("PRAGMA journal_mode") == "delete")
  }

  @Test func `adds up the time inside SQLite only while it is asked to`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 2000)
    let connection = try database.open()
    #expect(try connection.integer("SELECT sum(size) FROM item") != nil)
    #expect(connection.callClock.nanoseconds == 0)
    connection.timesCalls = true
    #expect(try connection.integer("SELECT sum(size) FROM item") != nil)
    let spent = connection.callClock.nanoseconds
    #expect(spent > 0)
    connection.timesCalls = false
    #expect(try connection.integer("SELECT sum(size) FROM item") != nil)
    #expect(connection.callClock.nanoseconds == spent)
  }

  @Test func `the time inside SQLite has preparing, checkpoints, backups and closing in it`() throws
  {
    let database = try TemporaryDatabase()
    try database.fill(rows: 2000)
    var connection: Connection? = try database.open()
    let clock = try #require(connection?.callClock)
    connection?.timesCalls = true
    /// Whether `action` adds to the measured time.
    func counts(_ action: () throws -> Void) rethrows -> Bool {
      let before = clock.nanoseconds
      try action()
      return clock.nanoseconds > before
    }
    var statement: Statement?
    #expect(try counts { statement = try connection?.prepare("SELECT sum(size) FROM item") })
    #expect(counts { statement = nil })
    #expect(try counts { try connection?.checkpoint() })
    #expect(try counts { try connection?.backUp(to: database.folder + "/copy.sqlite") })
    #expect(counts { connection = nil })
    _ = statement
  }
}
