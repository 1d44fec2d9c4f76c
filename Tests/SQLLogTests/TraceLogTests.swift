import Basics
import Foundation
import SQLite
import Testing

@testable import SQLLog

/// Tests logs of statements that SQLite's trace passed to an app, which printed them.
@Suite struct TraceLogTests {
  /// The forms are those of GRDB's descriptions, its users' prints, SQLite's shell, and loggers.
  @Test(arguments: [
    ("SELECT * FROM player WHERE email = ?", -1),
    ("0.1s SELECT * FROM player WHERE email = ?", 100_000),
    ("SQL> SELECT * FROM \"player\" WHERE \"email\" = 'arthur@example.com'", -1),
    ("SQL > 0.003s SELECT * FROM \"player\" WHERE \"email\" = 'O''Brien'", 3_000),
    ("[SQL] select * from player where email = 'a'", -1),
    ("\u{1F4CA} SQL: SELECT * FROM \"player\" WHERE \"email\" = ?", -1),
    ("[app.db] (1.5 ms) SELECT * FROM player WHERE email = ?", 1_500),
    ("SELECT * FROM player WHERE email = ?; -- 12345 ns", 12),
    ("2026-05-04 10:00:04.012 App[815:4101] sql: SELECT * FROM `player` WHERE [email] = ?", -1),
    ("10:00:04.012 SELECT * FROM player WHERE email = ?", -1),
    ("select * from player where email = 'a';", -1),
    ("\u{1B}[32mSQL>\u{1B}[0m SELECT * FROM player WHERE email = ?;", -1),
  ])
  func `reads one fetch in the forms in which it is printed`(line: String, time: Int) throws {
    let reading = try LogFixture.read("app starts\n\(line)\nlist is shown\n")
    #expect(reading.fingerprints == ["SELECT * FROM player WHERE email = ?"])
    #expect(reading.kinds == [.fetch])
    #expect(reading.statements.map(\.time) == [time])
    #expect(reading.report.foreign == 2)
    #expect(reading.report.level == nil)
  }

  @Test func `takes sentences of an app for no statements`() throws {
    for line in [
      "Select a row from the list", "Update available",
      "Create account", "END", "select from menu", "replace the photo",
      "select a row from the list",
      "Release notes: new", "Rollback to menu", "with as many rows", "Insert into the list",
    ] {
      #expect(throws: Refusal.self, "\(line)") { try LogFixture.read(line) }
    }
  }

  @Test(arguments: ["begin", "BEGIN", "begin transaction", "COMMIT", "UPDATE all", "PRAGMA view"])
  func `takes a mark of the app for no statement, whatever its name is`(name: String) throws {
    let mark = "screen: \(name)"
    #expect(throws: Refusal.self) { try LogFixture.read(mark) }
    for line in ["SQL> SELECT * FROM player", "10:00:04.012 0.002s SELECT * FROM player"] {
      let begin = line.replacing("SELECT * FROM player", with: "BEGIN")
      let text = [begin, line, mark, line, begin, mark].joined(separator: "\n")
      let reading = try LogFixture.read(text)
      #expect(reading.kinds == [.begin, .fetch, .fetch, .begin], "\(text)")
      let log = try LogFixture(text)
      #expect(try OwnLines(logs: [log.path]).pairs.map(\.from) == [mark])
    }
    let messages = try LogFixture.read("\(mark)\n\(Lines.count("SELECT COUNT(*) FROM ZTASK", 3))")
    #expect(messages.kinds == [.count])
  }

  @Test func `joins the lines of a statement, and values of several lines`() throws {
    let reading = try LogFixture.read(
      """
      SQL> SELECT player.*,
             COUNT(score.id)
      FROM player
      LEFT JOIN score ON score.playerId = player.id
      WHERE player.name = 'a
      screen: second line of the name'
      GROUP BY player.id
      screen: list
      SQL> CREATE TABLE note(
        id INTEGER PRIMARY KEY,
        text TEXT
      );
      SQL> COMMIT TRANSACTION
      """
    )
    #expect(reading.kinds == [.aggregate, .schema, .commit])
    #expect(reading.statements.map(\.line) == [1, 9, 13])
    let shape = reading.parser.statements[0].shape
    #expect(shape.table == "player" && shape.joins == ["score"])
    #expect(shape.conditions == [.init(table: "player", column: "name", operation: .equals)])
    #expect(reading.report.foreign == 1)
  }

  @Test func `joins a SELECT within a statement, and keeps the lines of the app apart`() throws {
    let reading = try LogFixture.read(
      """
      SQL> INSERT INTO old(id)
      SELECT id FROM player
      SQL> COMMIT
      screen: list
      SQL> SELECT * FROM player WHERE id IN (
        SELECT playerId FROM game
      )
      screen: detail
      """
    )
    #expect(reading.kinds == [.insert, .commit, .fetch])
    #expect(reading.report.foreign == 2)
    let bare = try LogFixture.read(
      "SELECT id FROM player\nUNION ALL\nSELECT id FROM coach\nSELECT id FROM team\n"
    )
    #expect(
      bare.fingerprints == [
        "SELECT id FROM player UNION ALL SELECT id FROM coach", "SELECT id FROM team",
      ]
    )
  }

  @Test func `counts a statement once that is printed at its start and at its end`() throws {
    let reading = try LogFixture.read(
      """
      SELECT * FROM player
      0.002s SELECT * FROM player
      -- TRIGGER player_ai
      SELECT * FROM player
      0.004s SELECT * FROM player
      """
    )
    #expect(reading.statements.map(\.time) == [2_000, 4_000])
    #expect(reading.report.duplicates == 2)
  }

  @Test func `takes each write outside a transaction for a save, and a savepoint for none`() throws
  {
    let insert = "INSERT INTO \"player\" (\"name\") VALUES ('a')"
    let analysis = try LogFixture.analysis(
      """
      \(insert)
      \(insert)
      BEGIN IMMEDIATE TRANSACTION
      \(insert)
      SAVEPOINT grdb
      \(insert)
      RELEASE SAVEPOINT grdb
      ROLLBACK TRANSACTION TO SAVEPOINT grdb
      COMMIT TRANSACTION
      """
    )
    #expect(analysis.digest.saves == 3)
    #expect(analysis.digest.firstSaves.map { $0.writes.map(\.count) } == [[1], [1], [2]])
  }

  /// A schema in which player i belongs to team i % 20.
  private static func schema() throws -> LogSchema {
    let connection = try Connection(path: ":memory:", mode: .create)
    try connection.executeScript([
      "CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
      "CREATE TABLE player(id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team(id), name TEXT)",
      "CREATE INDEX player_name ON player(name)",
    ])
    for index in 0..<2_000 {
      try connection.execute("INSERT INTO player(teamId, name) VALUES(\(index % 20), 'n\(index)')")
    }
    return try LogSchema(tablesOf: connection)
  }

  private func rules(_ lines: [String], schema: LogSchema? = nil) throws -> [String: Finding] {
    let text = lines.map { "SQL> \($0)" }.joined(separator: "\n")
    let findings = try LogFixture.analysis(text, schema: schema).findings
    return Dictionary(findings.map { ($0.rule.rawValue, $0) }) { first, _ in first }
  }

  @Test func `finds a loop of look-ups, also where each turn has several`() throws {
    let loop = (1...12).flatMap { key in
      [
        "SELECT * FROM \"player\" WHERE \"teamId\" = \(key)",
        "SELECT COUNT(*) FROM \"game\" WHERE \"homeId\" = \(key)",
      ]
    }
    let found = try rules(["SELECT * FROM \"team\""] + loop)
    #expect(found.keys.sorted() == ["fetches-one-by-one"])
    #expect(
      found["fetches-one-by-one"]?.summary.hasPrefix("12 times ") ?? false,
      "\(String(describing: found))"
    )
    #expect(try rules(Array(loop.prefix(16))).isEmpty)
    // GRDB puts each read into a transaction of its own, or between two PRAGMA statements.
    for frame in [
      ("BEGIN DEFERRED TRANSACTION", "COMMIT TRANSACTION"),
      ("PRAGMA query_only = 1", "PRAGMA query_only = 0"),
    ] {
      let framed = loop.flatMap { [frame.0, $0, frame.1] }
      #expect(try rules(framed)["fetches-one-by-one"]?.calls == 12)
    }
    // Another statement between two turns of the loop may come from a person's action.
    let apart = loop.flatMap { [$0, "SELECT * FROM \"settings\""] }
    #expect(try rules(apart)["fetches-one-by-one"] == nil)
  }

  @Test func `finds a column without an index, and none where the key or an index serves`() throws {
    let schema = try Self.schema()
    let found = try rules(["SELECT * FROM player WHERE teamId = 3 ORDER BY name"], schema: schema)
    let finding = try #require(found["unindexed-predicate"])
    #expect(
      finding.summary
        == "fetch of player by teamId sorted by name: no index on teamId, 2000 objects"
    )
    let served = [
      "SELECT * FROM player WHERE id = 3", "SELECT * FROM player WHERE name = 'n3'",
      "SELECT * FROM \"player\" AS \"p\" WHERE \"p\".\"name\" = 'n3'",
      "UPDATE player SET name = 'x' WHERE id = 3",
    ]
    #expect(try rules(served, schema: schema).isEmpty)
  }

  @Test func `gives the fix in SQL and GRDB, not in the frameworks' code`() throws {
    let analysis = try LogFixture.analysis(
      "SQL> SELECT * FROM player WHERE teamId = 3",
      schema: try Self.schema()
    )
    let fix = try #require(analysis.fixes.first)
    #expect(fix.coreData.isEmpty && fix.swiftData.isEmpty)
    #expect(
      fix.sqlite.prefix(2) == [
        "CREATE INDEX \"index_player_on_teamId\" ON \"player\"(\"teamId\")",
        "try db.create(indexOn: \"player\", columns: [\"teamId\"])  // in a migration of GRDB",
      ]
    )
    #expect(!analysis.indexCandidates.isEmpty)
  }

  @Test func `finds saves one by one, searches within texts, and repeats`() throws {
    let inserts = (1...12).map { "INSERT INTO player(name) VALUES ('n\($0)')" }
    #expect(try rules(inserts).keys.sorted() == ["one-save-per-object"])
    let timed = (1...12).flatMap {
      ["0.001s BEGIN", "0.002s INSERT INTO player(name) VALUES ('n\($0)')", "0.004s COMMIT"]
    }
    #expect(try rules(timed)["one-save-per-object"]?.time == 12 * 7_000)
    let inOne = ["BEGIN IMMEDIATE TRANSACTION"] + inserts + ["COMMIT TRANSACTION"]
    #expect(try rules(inOne).isEmpty)
    let search = ["SELECT * FROM player WHERE name LIKE '%b%'"]
    #expect(try rules(search, schema: Self.schema()).keys.sorted() == ["text-search"])
    let repeated = Array(repeating: "SELECT * FROM team ORDER BY name LIMIT 10", count: 8)
    #expect(try rules(repeated).keys.sorted() == ["repeated-fetch"])
  }

  @Test func `refuses what would mix two kinds of names, or values with names`() throws {
    let fixture = try LogFixture("SQL> SELECT * FROM player")
    let other = try LogFixture(Lines.count("SELECT COUNT(*) FROM ZTASK", 3))
    for paths in [[fixture.path, other.path], [other.path, fixture.path]] {
      #expect(throws: Refusal.self) { try LogAnalysis(of: paths) }
    }
    #expect(throws: Refusal.self) { try Anonymizer(path: fixture.path) }
  }

  @Test func `cuts the log into the app's actions`() throws {
    let fixture = try LogFixture(
      """
      screen: list
      SQL> SELECT * FROM player
      screen: detail
      SQL> SELECT * FROM player WHERE id = 1
      SQL> UPDATE player SET name = 'a' WHERE id = 1
      """
    )
    let check = try ActionCheck(
      nil,
      marker: ActionMarker("screen: (?<name>.+)"),
      logs: [fixture.path],
      schema: nil
    )
    let counts = check.counts.counts
    #expect(counts[.init(action: "list", occurrence: 1, measure: .statements)] == 1)
    #expect(counts[.init(action: "detail", occurrence: 1, measure: .statements)] == 2)
    #expect(counts[.init(action: "detail", occurrence: 1, measure: .saves)] == 1)
    let own = try OwnLines(logs: [fixture.path])
    #expect(own.pairs.map(\.from) == ["screen: list", "screen: detail"])
  }
}
