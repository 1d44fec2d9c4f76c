import Basics
import Foundation
import SQLite
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests `analyze` for an app that uses SQLite directly: its printed statements and its database.
struct AppDatabaseTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let connection = try Connection(path: folder.file("App.sqlite"), mode: .create)
    let numbers = { (most: Int) in
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(most))"
    }
    try connection.executeScript([
      "CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
      """
      CREATE TABLE player(id INTEGER PRIMARY KEY, teamId INTEGER, name TEXT NOT NULL, score INTEGER)
      """,
      "CREATE TRIGGER scored AFTER UPDATE ON player BEGIN UPDATE team SET name = 'x'; END",
      "INSERT INTO team \(numbers(40)) SELECT i, 'team ' || i FROM n",
      "INSERT INTO player \(numbers(4000)) SELECT i, 1 + i % 40, 'player ' || i, i % 97 FROM n",
    ])
    try folder.write(Self.log(loops: true), to: "app.log")
  }

  /// Returns a log that fetches the teams with their players and then makes a change.
  ///
  /// With `loops`, the log fetches the players team by team.
  private static func log(loops: Bool) -> String {
    var lines = ["screen: teams", "SQL> 0.001s SELECT * FROM \"team\" ORDER BY \"id\""]
    if loops {
      lines += (1...40).map {
        "SQL> 0.001s SELECT * FROM \"player\" WHERE \"teamId\" = \($0)"
      }
    } else {
      let keys = (1...40).map(String.init).joined(separator: ", ")
      lines.append("SQL> 0.004s SELECT * FROM \"player\" WHERE \"teamId\" IN (\(keys))")
    }
    lines += [
      "screen: player", "SQL> 0.000s BEGIN IMMEDIATE TRANSACTION",
      "SQL> 0.000s UPDATE \"player\" SET \"score\" = 5 WHERE \"id\" = 7",
      "SQL> 0.001s COMMIT TRANSACTION",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private func run(_ arguments: String...) -> (
    status: CommandStatus, output: String, errors: String
  ) {
    let console = RecordingConsole()
    let paths = arguments.map { argument in
      [".yaml", ".csv", ".log", ".sqlite"].contains { argument.hasSuffix($0) }
        ? folder.file(argument) : argument
    }
    let status = Storebench.run(paths + ["--work-folder", folder.file("sb")], on: console.console)
    return (status, console.output, console.errors)
  }

  @Test func `replays the statements on a copy of the app's own file`() throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("App.sqlite")))
    let ending = run("analyze", "app.log", "--store", "App.sqlite", "--replay")
    #expect(ending.status == .done, "\(ending.errors)")
    let output = ending.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(output.contains("no index on teamId, 4000 objects"), "\(output)")
    #expect(output.contains("CREATE INDEX \"index_player_on_teamId\" ON \"player\"(\"teamId\")"))
    #expect(output.contains("40 times fetch of player by teamId"))
    #expect(output.contains("Replayed with the index"))
    // One fetch of all players replaces 40, so there are 39 fewer statements.
    #expect(output.contains("statements 44 → 5"), "\(output)")
    #expect(output.contains("Difference from the log: 0.0 %"), "\(output)")
    // The replay must not run the trigger of the database.
    #expect(!output.contains("refused"))
    #expect(output.contains(/player \(teamId\): saves [\d.]+ % of SQLite's steps/), "\(output)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("App.sqlite"))) == before)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.file(""))
    #expect(!files.contains { $0.hasPrefix("App.sqlite-") })
  }

  @Test func `gates the actions with exact counts, pages among them`() throws {
    let gate = [
      "analyze", folder.file("app.log"), "--action-marker", "screen: (?<name>.+)", "--baseline",
      folder.file("app-baseline.csv"), "--store", folder.file("App.sqlite"), "--work-folder",
      folder.file("sb"),
    ]
    func status(_ more: String...) -> (CommandStatus, String) {
      let console = RecordingConsole()
      return (Storebench.run(gate + more, on: console.console), console.output)
    }
    try folder.write(Self.log(loops: false), to: "app.log")
    #expect(status("--update-baseline").0 == .done)
    let counts = try String(contentsOfFile: folder.file("app-baseline.csv"), encoding: .utf8)
    #expect(counts.contains("teams,1,statements,2\n"), "\(counts)")
    #expect(counts.contains("player,1,saves,1\n"))
    #expect(counts.contains(/teams,1,pages,[1-9]\d*\n/))
    #expect(status().0 == .done)
    try folder.write(Self.log(loops: true), to: "app.log")
    let risen = status()
    #expect(risen.0 == .regression)
    #expect(risen.1.contains(/statements +1 +2 +41  regressed/), "\(risen.1)")
  }

  @Test func `says what an app's own file cannot do`() throws {
    let larger = run(
      "analyze",
      "app.log",
      "--store",
      "App.sqlite",
      "--replay",
      "--sizes",
      "1,10"
    )
    #expect(larger.status == .badInput && larger.errors.contains("is not a Core Data store"))
    let workload = run("analyze", "app.log", "--store", "App.sqlite", "--workload", "list.yaml")
    #expect(workload.status == .badInput && workload.errors.contains("statements on an app's own"))
    let other = try Connection(path: folder.file("Other.sqlite"), mode: .create)
    try other.execute("CREATE TABLE note(id INTEGER PRIMARY KEY)")
    let wrong = run("analyze", "app.log", "--store", "Other.sqlite")
    #expect(wrong.status == .badInput && wrong.errors.contains("has none of the log's tables"))
    let computed = try Connection(path: folder.file("App.sqlite"), mode: .readWrite)
    try computed.execute("ALTER TABLE team ADD COLUMN n AS (length(name))")
    let refused = run("analyze", "app.log", "--store", "App.sqlite", "--replay")
    #expect(refused.status == .badInput && refused.errors.contains("computed column team.n"))
  }

  @Test func `refuses what a printed statement would do beside the app's rows`() throws {
    try folder.write(
      Self.log(loops: true)
        + "SQL> ATTACH DATABASE '\(folder.file("stolen.sqlite"))' AS other\n"
        + "SQL> SELECT load_extension('x')\nSQL> DROP TABLE player\n"
        + "SQL> PRAGMA writable_schema = 1\nSQL> SELECT * FROM sqlite_schema\n",
      to: "app.log"
    )
    let ending = run("analyze", "app.log", "--store", "App.sqlite", "--replay")
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(
      ending.output.contains("not replayed: 1 × DROP (changes the schema)"),
      "\(ending.output)"
    )
    #expect(ending.output.contains("not replayed: 1 × pragma writable_schema"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("stolen.sqlite")))
  }
}
