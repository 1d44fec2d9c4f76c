import Basics
import Testing

@testable import SQLLog

/// Tests logs from public pages and from tools that do not print one message per line.
@Suite struct LineFormTests {
  // A page on the objc.io book breaks statements at clauses and leaves spaces at line ends.
  @Test func `joins a statement that is broken at its clauses`() throws {
    let reading = try LogFixture.read(
      """
      sql: SELECT t0.Z_ENT, t0.Z_PK 
      FROM ZGEOGRAPHICREGION t0 
      WHERE t0.ZMARKEDFORDELETIONDATE = ? 
      ORDER BY t0.ZUPDATEDAT DESC
      annotation: sql connection fetch time: 0.0004s 
      annotation: total fetch execution time: 0.0007s for 5 rows.
      AND now something else
      """
    )
    #expect(
      reading.fingerprints == [
        "SELECT t0.Z_ENT, t0.Z_PK FROM ZGEOGRAPHICREGION t0 WHERE t0.ZMARKEDFORDELETIONDATE = ? "
          + "ORDER BY t0.ZUPDATEDAT DESC"
      ]
    )
    #expect((reading.statements[0].time, reading.statements[0].rows) == (700, 5))
    #expect(reading.statements[0].line == 1)
    #expect(reading.report.foreign == 1)
  }

  // On nvtrlab.jp, the statement starts on the line after its prefix.
  @Test func `joins a statement with the head in the line before`() throws {
    let reading = try LogFixture.read(
      """
      CoreData: sql:
      CREATE TABLE ZENTITYNAME (
      Z_PK INTEGER PRIMARY KEY,
      ZID INTEGER,
      ZNAME VARCHAR
      )
      CoreData: sql: 
      screen 1 appeared
      CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0
      AND prose that follows
      """
    )
    #expect(
      reading.fingerprints == [
        "CREATE TABLE ZENTITYNAME (Z_PK INTEGER PRIMARY KEY, ZID INTEGER, ZNAME VARCHAR)",
        "SELECT 0, t0.Z_PK FROM ZITEM t0",
      ]
    )
    // Three lines are not part of the log's statements: a prefix without a statement, and two lines
    // printed by the app.
    #expect(reading.report.foreign == 3)
    #expect(!reading.report.isTruncated)
  }

  @Test func `reads a fault whose object ID is in the next line or is private`() throws {
    let select = "SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZCOUNTRY t0 WHERE t0.Z_PK = ?"
    let reading = try LogFixture.read(
      """
      sql: \(select)
      annotation: total fetch execution time: 0.0008s for 1 rows. 
      annotation: fault fulfilled from database for : 0xd000000000100002
      <x-coredata://DE6497F9-8B94-420D-81B7-E25B992E28C2/Country/p4>
      sql: \(select)
      annotation: total fetch execution time: 0.0008s for 1 rows.
      annotation: fault fulfilled from database for : 0xd000000000100002
      an app's line
      sql: \(select)
      annotation: total fetch execution time: 0.0008s for 1 rows.
      annotation: fault fulfilled from database for : <private>
      """
    )
    #expect(reading.statements[0].purpose == .fault(entity: 0, key: 4))
    #expect(reading.parser.names[0] == "Country")
    #expect(reading.statements.count == 3)
    #expect(reading.kinds == [.fault, .fault, .fault])
    #expect(reading.report.unknown.isEmpty)
    #expect(reading.report.foreign == 1)
  }

  // f2er.com prints a log from Stack Overflow on one line, without spaces after commas.
  @Test func `reads several messages of one line`() throws {
    let reading = try LogFixture.read(
      "**** FOREGROUND **** CoreData: sql: SELECT 0,t0.Z_PK,t0.Z_OPT,t0.ZIMAGE FROM ZCATEGORY t0 "
        + "CoreData: annotation: sql connection fetch time: 0.0004s "
        + "CoreData: annotation: Bound intarray values. "
        + "CoreData: sql: SELECT 0,t0.ZURL FROM ZIMAGE t0 WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray0) "
        + "CoreData: annotation: sql connection fetch time: 0.0006s "
        + "CoreData: annotation: total fetch execution time: 0.0010s for 4 rows. "
        + "CoreData: annotation: Prefetching with key 'image'. Got 4 rows. "
        + "CoreData: annotation: total fetch execution time: 0.0035s for 4 rows."
    )
    #expect(reading.statements.count == 2)
    let prefetch = try #require(
      reading.statements.first { $0.purpose == .prefetch(relationship: 0) }
    )
    let fetch = try #require(reading.statements.first { $0.purpose == .unknown })
    #expect((prefetch.ownTime, fetch.ownTime) == (1_000, 2_500))
    #expect((prefetch.rows, fetch.rows) == (4, 4))
    #expect(reading.report.unknown.isEmpty)
    #expect(reading.report.orphans == 0)
  }

  // `log show --style ndjson` prints one event a line; `--style json` prints one key a line.
  @Test func `reads the events of log's JSON styles`() throws {
    let lines = """
      {"category":"sql","threadID":7496037,"timestamp":"2024-01-10 11:14:38.831786-0800","processID":18248,"eventMessage":"CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0\\nWHERE t0.ZNAME = \\"caf\\u00e9\\""}
      {"timestamp":"2024-01-10 11:14:38.841786-0800","threadID":7496037,"eventMessage":"annotation: total fetch execution time: 0.0007s for 5 rows.","processID":18248}
      """
    let reading = try LogFixture.read(lines)
    #expect(reading.statements.count == 1)
    #expect((reading.statements[0].time, reading.statements[0].rows) == (700, 5))
    #expect((reading.statements[0].process, reading.statements[0].thread) == (18248, 0x7496037))
    #expect(reading.statements[0].clock > 0)
    let pretty = try LogFixture.read(
      """
      [{
        "traceID" : 1,
        "eventMessage" : "CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0",
        "threadID" : 22
      },{
        "eventMessage" : "CoreData: annotation: total fetch execution time: 0.0007s for 5 rows."
      }]
      """
    )
    #expect(pretty.statements.map(\.rows) == [5])
  }

  // Tools that collect log lines put them into JSON, CSV, tables and strings.
  @Test(arguments: [
    ("{\"log\":\"", "\\n\",\"stream\":\"stderr\",\"pod\":\"a\"}"),
    ("{\"level\":\"info\",\"message\":\"", "\",\"host\":{\"name\":\"x\"}}"),
    ("2024-01-10,App,\"", "\""), ("\"", "\\n\""), ("| 12 | ", " |"), ("| ", " | "),
  ])
  func `leaves out what other tools put round a message`(start: String, end: String) throws {
    let reading = try LogFixture.read(
      """
      \(start)CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE t0.ZA = ? \(end)
      \(start)CoreData: annotation: total fetch execution time: 0.0007s for 5 rows.\(end)
      """
    )
    #expect(reading.fingerprints == ["SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE t0.ZA = ?"])
    #expect(reading.statements.map(\.rows) == [5])
    #expect(reading.report.foreign == 0)
  }

  @Test func `reads all events of a line`() throws {
    let reading = try LogFixture.read(
      """
      [{"eventMessage":"CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE t0.ZA = \"}{\"","threadID":7}, \
      {"threadID":7,"eventMessage":"CoreData: annotation: total fetch execution time: 0.0007s for 5 rows."}]
      """
    )
    #expect(reading.statements.map(\.rows) == [5])
    #expect(reading.report.orphans == 0)
  }

  @Test func `a bound text that ends with a quote or a bar stays whole`() throws {
    let reading = try LogFixture.read(
      """
      CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE t0.ZA = ?
      CoreData: details: SQLite bind[0] = "a|"
      """
    )
    #expect(reading.statements.map(\.longestValue) == [4])
  }

  @Test func `refuses a log whose statements are private, and says what to do`() throws {
    let fixture = try LogFixture(
      "2024-01-10 11:14:38.831 App[1:2] CoreData: sql: <private>\nCoreData: sql: <private>\n"
    )
    let error = #expect(throws: Refusal.self) {
      try LogParser { _ in }.read(fixture.path)
    }
    let text = try #require(error).description
    #expect(text.contains("shows its 2 statements as '<private>'"))
    #expect(text.contains("-com.apple.CoreData.Logging.stderr 1"))
  }

  // Tools put other prefixes before messages; web pages put characters around them.
  @Test(arguments: [
    "default\t11:38:01.123456+0200\tMyApp\tCoreData: ",
    "Nov 22 10:11:12 Toms-iPhone MyApp(CoreData)[1234] <Notice>: CoreData: ",
    "2024-01-10 11:14:38.831786-0800  localhost App[18248]: (CoreData) [com.apple.coredata:sql] CoreData: ",
    "août 16 11:38:01 iPhone-de-Rémi Mon App[93] <Warning>: CoreData: ",
    "[iOSLog] [IOS_SYSLOG_ROW] CoreData: ", "> CoreData: ", "   CoreData: ", "//  CoreData: ",
  ])
  func `reads the heads of other tools`(head: String) throws {
    let reading = try LogFixture.read(
      """
      \(head)sql: SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE t0.ZA = ?
      \(head)annotation: sql connection fetch time: 0.0004s. |
      \(head)annotation: total fetch execution time: 0.0007s for 5 rows. |
      """
    )
    #expect(reading.statements.map(\.time) == [700])
    #expect(reading.statements.map(\.rows) == [5])
    #expect(reading.report.foreign == 0)
    #expect(reading.report.orphans == 0)
  }

  // Web pages show plans below level 4 statements in the format of sqlite3's shell.
  @Test func `reads plans with bars between their columns`() throws {
    let reading = try LogFixture.read(
      """
      sql: SELECT t0.Z_ENT, t0.Z_PK FROM ZGEOGRAPHICREGION t0 WHERE t0.ZMARKEDFORDELETIONDATE = ?
      annotation: total fetch execution time: 0.0007s for 5 rows.
      details: SQLite: EXPLAIN QUERY PLAN SELECT t0.Z_ENT, t0.Z_PK FROM ZGEOGRAPHICREGION t0
      0|0|0|SEARCH TABLE ZGEOGRAPHICREGION AS t0 USING INDEX ZGEOGRAPHICREGION_ZDATE_INDEX (ZDATE=?)
      """
    )
    #expect(
      reading.statements[0].plan
        == .index(table: "ZGEOGRAPHICREGION", name: "ZGEOGRAPHICREGION_ZDATE_INDEX")
    )
  }
}
