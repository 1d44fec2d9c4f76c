import DataModel
import Testing

@testable import SQLLog

/// Tests a log's statements as a replay runs them.
@Suite struct ReplayScriptTests {
  private func script(_ text: String, name: String = "app.log") throws -> ReplayScript {
    let fixture = try LogFixture(text, name: name)
    return try withExtendedLifetime(fixture) { try ReplayScript(logs: [fixture.path]) }
  }

  private func roles(_ sql: String) -> [ReplayStatement.Role] { ReplayStatement(sql).roles }

  @Test func `keeps texts, values, rows and keys`() throws {
    let script = try script(
      """
      CoreData: sql: SELECT 0, t0.Z_PK FROM ZTASK t0 WHERE t0.ZTITLE = ? AND t0.ZDATE > ?
      CoreData: details: SQLite bind[0] = "it's"
      CoreData: details: SQLite bind[1] = (timestamp)606339342.12
      CoreData: annotation: sql connection fetch time: 0.0001s
      CoreData: annotation: fetch using NSSQLiteStatement <0x1> on entity 'Task' with sql text 'SELECT' returned 2 rows with values: (
          "<Task: 0x1> (entity: Task; id: 0x2 <x-coredata://U/Task/p4> ; data: <fault>)",
          "<Task: 0x1> (entity: Task; id: 0x2 <x-coredata://U/Task/p9> ; data: <fault>)"
      )
      CoreData: annotation: total fetch execution time: 0.0002s for 2 rows.
      CoreData: sql: INSERT INTO ZTASK(Z_PK, ZDATA) VALUES(?, ?)
      CoreData: details: SQLite bind[0] = 7
      CoreData: details: SQLite bind[1] = <12 bytes>

      """
    )
    #expect(script.steps.map(\.rows) == [2, -1])
    #expect(script.steps[0].keys == [4, 9])
    #expect(script.steps[0].values == [.value(.text("it's")), .value(.real(606_339_342.12))])
    #expect(script.steps[1].values == [.value(.integer(7)), .blob(bytes: 12)])
    #expect(script.hasValues && !script.onlyReads)
  }

  @Test func `finds what each parameter stands for`() {
    func compared(_ column: String, _ sign: String) -> ReplayStatement.Role {
      .compared(table: "ZA", column: column, sign: sign)
    }
    #expect(roles("SELECT 0 FROM ZA t0 WHERE  t0.ZX > ?") == [compared("ZX", ">")])
    #expect(
      roles("SELECT 0 FROM ZA t0 WHERE (? <=  t0.ZX AND  t0.ZX <= ?)  LIMIT 100")
        == [compared("ZX", ">="), compared("ZX", "<=")]
    )
    #expect(
      roles("SELECT 0 FROM ZA t0 WHERE t0.Z_ENT IN (?, ?) AND t0.ZX BETWEEN ? AND ? LIMIT ?")
        == [
          compared("Z_ENT", "="), compared("Z_ENT", "="), compared("ZX", ">="),
          compared("ZX", "<="), .limit,
        ]
    )
    #expect(
      roles("SELECT 0 FROM ZA t0 WHERE NSCoreDataStringSearch( t0.ZX, ?, 417, 1)")
        == [.searched(table: "ZA", column: "ZX")]
    )
    #expect(
      roles("UPDATE ZA SET ZX = ?, Z_OPT = ?  WHERE Z_PK=? AND (Z_OPT = ? OR Z_OPT IS NULL)")
        == [
          .set(table: "ZA", column: "ZX"), .set(table: "ZA", column: "Z_OPT"),
          compared("Z_PK", "="), compared("Z_OPT", "="),
        ]
    )
    #expect(
      roles("INSERT INTO ZA(Z_PK, Z_ENT, ZX) VALUES(?, 4, ?) ON CONFLICT(ZX) DO UPDATE SET ZX = ?")
        == [
          .inserted(table: "ZA", column: "Z_PK"), .inserted(table: "ZA", column: "ZX"),
          compared("ZX", "="),
        ]
    )
    #expect(
      roles(
        "SELECT 0, t0.Z_PK FROM Z_1TAGS t1 JOIN ZTAG t0 ON t0.Z_PK = t1.Z_2TAGS WHERE t1.Z_1ITEMS = ?"
      )
        == [.compared(table: "Z_1TAGS", column: "Z_1ITEMS", sign: "=")]
    )
    #expect(
      ReplayStatement("SELECT 0 FROM ZA t0 WHERE t0.ZB IN (SELECT * FROM _Z_intarray0)").arrays
        == [.init(name: "_Z_intarray0", table: "ZA", column: "ZB")]
    )
  }

  @Test func `takes literals of SQLite's own log for values`() throws {
    let script = try script(
      """
      -- Main database is 'sqllog_00.db'
      SELECT 0, t0.Z_PK FROM ZA t0 WHERE t0.ZX = 'a''b' AND t0.ZN = -5 LIMIT 20; -- clock=1
      INSERT INTO ZA(Z_PK, ZD) VALUES(3, x'0aff'); -- clock=2

      """,
      name: "sqllog_00.sql"
    )
    #expect(
      script.statements.map(\.sql) == [
        "SELECT 0, t0.Z_PK FROM ZA t0 WHERE t0.ZX = ? AND t0.ZN = ? LIMIT 20",
        "INSERT INTO ZA(Z_PK, ZD) VALUES(?, ?)",
      ]
    )
    #expect(
      script.steps.map(\.values) == [
        [.value(.text("a'b")), .value(.integer(-5))],
        [.value(.integer(3)), .value(.blob([0x0a, 0xff]))],
      ]
    )
  }

  @Test func `lets a transaction wait for the one of another thread`() throws {
    func line(_ thread: Int, _ sql: String) -> String {
      "2020-11-29 17:27:58.693467+0200 App[40455:\(thread)] CoreData: sql: \(sql)"
    }
    let script = try script(
      [
        line(1, "BEGIN EXCLUSIVE"), line(2, "BEGIN EXCLUSIVE"),
        line(2, "DELETE FROM ZB WHERE Z_PK = 1"), line(1, "DELETE FROM ZA WHERE Z_PK = 1"),
        line(3, "SELECT 0, t0.Z_PK FROM ZA t0"), line(1, "COMMIT"), line(2, "COMMIT"),
      ].joined(separator: "\n") + "\n"
    )
    #expect(script.connections == 3)
    #expect(script.steps.map(\.line) == [1, 4, 5, 6, 2, 3, 7])
  }

  @Test func `counts by name what cannot be replayed`() throws {
    let script = try script(
      """
      CoreData: sql: pragma page_count
      CoreData: sql: pragma auto_vacuum=2
      CoreData: sql: CREATE TABLE ZA ( Z_PK INTEGER PRIMARY KEY )
      CoreData: sql: ATTACH 'x' AS y
      CoreData: sql: SELECT 0, t0.Z_PK FROM ZA t0

      """
    )
    #expect(script.steps.map(\.line) == [1, 5])
    #expect(
      script.omissions.keys.sorted() == [
        "ATTACH (not a statement of an app)", "CREATE (changes the schema)",
        "pragma auto_vacuum (sets or does something)",
      ]
    )
  }

  @Test func `a part of a log is replayed by its lines`() throws {
    let fixture = try LogFixture(
      "CoreData: sql: SELECT 0, t0.Z_PK FROM ZA t0\nother\nCoreData: sql: SELECT 0, t0.Z_PK FROM ZB t0\n"
    )
    let script = try ReplayScript(logs: [fixture.path], lines: 2...3)
    #expect(script.steps.map(\.line) == [3])
  }

  @Test func `measures how far rows differ`() {
    var divergence = ReplayDivergence()
    divergence.statements = 2
    divergence.compare(rows: 10, logged: 10)
    divergence.compare(rows: 4, logged: 10)
    #expect(divergence.share == 0.3 && !divergence.isEvidence)
    var scaled = ReplayDivergence()
    scaled.statements = 1
    scaled.compare(rows: 70, logged: 10, scale: 10)
    #expect(scaled.share == 0 && scaled.isEvidence)
    scaled.errors = 1
    #expect(scaled.share == 1)
    // A difference is relative to the expected rows of the larger store, not to the logged rows.
    var larger = ReplayDivergence()
    larger.compare(rows: 1_100, logged: 10, scale: 100)
    #expect(larger.share == 0.1)
  }

  @Test func `gives an interval from six differences on`() {
    #expect(ReplayReport.Saving([1, 2, 3, 4, 5]) == nil)
    let six = ReplayReport.Saving([6, 1, 2, 3, 5, 4])
    #expect(six?.low == 1 && six?.high == 6 && six?.median == 3.5)
    // Binomial(9, ½) has P(X ≤ 1) = 0.0195, so the interval omits one value at each end.
    let nine = ReplayReport.Saving((1...9).map(Double.init))
    #expect(nine?.low == 2 && nine?.high == 8 && nine?.median == 5)
  }
}
