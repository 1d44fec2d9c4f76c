import SQLite
import Testing

@Suite struct HostFunctionTests {
  @Test func `a function gets its arguments, and a trigger may call it untrusted`() throws {
    let connection = try Connection(path: ":memory:", mode: .create, settings: nil, trust: .full)
    try connection.execute("PRAGMA trusted_schema=off")
    try connection.registerFunction("added", isHarmless: true) { arguments in
      guard case .integer(let number)? = arguments.first else { return .null }
      return .integer(number + Int64(arguments.count))
    }
    #expect(try connection.integer("SELECT added(40, 'x')") == 42)
    try connection.executeScript([
      "CREATE TABLE a (n INTEGER)",
      "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET n = added(n); END",
      "INSERT INTO a VALUES (1)",
    ])
    #expect(try connection.integer("SELECT n FROM a") == 2)
    try connection.registerFunction("added") { _ in .integer(7) }
    #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO a VALUES (1)") }
  }

  @Test func `a collation orders texts`() throws {
    let connection = try Connection(path: ":memory:", mode: .create, settings: nil)
    try connection.registerCollation("backwards") { first, second in
      first.elementsEqual(second) ? 0 : first.lexicographicallyPrecedes(second) ? 1 : -1
    }
    let first = try connection.text("SELECT 'a' AS x UNION SELECT 'b' ORDER BY x COLLATE backwards")
    #expect(first == "b")
  }

  @Test(arguments: [
    "ATTACH 'x' AS y", "PRAGMA journal_mode=delete", "CREATE TABLE b (n)", "DROP TABLE a",
    "SELECT randomblob(9)", "DELETE FROM sqlite_master",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT n FROM r",
  ])
  func `a guard refuses statements`(sql: String) throws {
    let connection = try Connection(path: ":memory:", mode: .create, settings: nil)
    try connection.execute("CREATE TABLE a (n INTEGER)")
    connection.authorize { access in
      switch access {
      case .select, .transaction, .read: true
      case .insert(let table), .update(let table), .delete(let table): table == "a"
      case .function(let name): name == "count"
      case .pragma, .other: false
      }
    }
    #expect(throws: SQLiteError.self) { try connection.execute(sql) }
    try connection.execute("INSERT INTO a VALUES (1)")
    #expect(try connection.integer("SELECT count(*) FROM a") == 1)
  }
}
