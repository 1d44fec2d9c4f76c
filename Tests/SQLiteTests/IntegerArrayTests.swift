import SQLite
import Testing

struct IntegerArrayTests {
  private func read(_ connection: Connection, _ sql: String) throws -> [Int64] {
    let row = try connection.prepare(sql)
    var values: [Int64] = []
    while try row.step() { values.append(row.integer(at: 0)) }
    return values
  }

  @Test func `shows its values in their order`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    let array = try IntegerArray(connection: connection, name: "keys")
    #expect(try read(connection, "SELECT value FROM keys") == [])
    array.values = [3, .max, -1, 3]
    #expect(try read(connection, "SELECT * FROM keys") == [3, .max, -1, 3])
    #expect(try read(connection, "SELECT rowid FROM keys") == [0, 1, 2, 3])
  }

  @Test func `picks the rows of a batch, with other values each time`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 100)
    let connection = try database.open()
    let array = try IntegerArray(connection: connection, name: "keys")
    let sql = "SELECT id FROM item WHERE id IN (SELECT * FROM keys) ORDER BY id"
    let row = try connection.cached(sql)
    for batch: [Int64] in [[5, 1, 99, 500], [], [7]] {
      array.values = batch
      var found: [Int64] = []
      while try row.step() { found.append(row.integer(at: 0)) }
      #expect(found == batch.filter { $0 <= 100 }.sorted())
    }
  }

  @Test func `joins two arrays, and one with itself`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    let (left, right) = (
      try IntegerArray(connection: connection, name: "left_keys"),
      try IntegerArray(connection: connection, name: "right_keys")
    )
    left.values = [1, 2, 3]
    right.values = [2, 3, 4]
    #expect(
      try read(
        connection,
        "SELECT a.value FROM left_keys AS a JOIN right_keys AS b ON a.value = b.value ORDER BY 1"
      ) == [2, 3]
    )
    #expect(try read(connection, "SELECT count(*) FROM left_keys AS a, left_keys AS b") == [9])
  }

  @Test func `ends early where its values shrink under a statement`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    let array = try IntegerArray(connection: connection, name: "keys")
    array.values = [1, 2, 3]
    let row = try connection.prepare("SELECT value FROM keys")
    #expect(try row.step())
    array.values = []
    var rows = 0
    while try row.step() { rows += 1 }
    #expect(rows <= 2)
  }

  @Test func `refuses a name that is taken, and to be written`() throws {
    let database = try TemporaryDatabase()
    let connection = try database.open()
    let array = try IntegerArray(connection: connection, name: "keys")
    #expect(throws: SQLiteError.self) {
      try IntegerArray(connection: connection, name: "keys")
    }
    #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO keys VALUES (1)") }
    array.values = [1]
    #expect(try read(connection, "SELECT value FROM keys") == [1])
  }

  @Test func `goes with its connection`() throws {
    weak var array: IntegerArray?
    do {
      let database = try TemporaryDatabase()
      let connection = try database.open()
      let strong = try IntegerArray(connection: connection, name: "keys")
      array = strong
      #expect(try read(connection, "SELECT value FROM keys") == [])
    }
    #expect(array == nil)
  }

  @Test func `leaves no trace in the file`() throws {
    let database = try TemporaryDatabase()
    try database.fill(rows: 1)
    do {
      let connection = try database.open()
      _ = try IntegerArray(connection: connection, name: "keys")
    }
    let connection = try database.open()
    #expect(try connection.integer("SELECT count(*) FROM sqlite_schema") == 2)
  }
}
