import Basics
import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

struct AnalyzeCommandTests {
  private let folder: TemporaryFolder

  private static let log = """
    CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZSIZE, t0.ZTITLE FROM ZTASK t0 WHERE  t0.ZSIZE = ? 
    CoreData: details: SQLite bind[0] = 4711
    CoreData: annotation: sql connection fetch time: 0.0300s
    CoreData: annotation: total fetch execution time: 0.0301s for 3 rows.
    CoreData: sql: SELECT COUNT(*) FROM ZTASK t0 WHERE  t0.ZTITLE = 'Zurich' 
    CoreData: annotation: total count request execution time: 0.0001s for count of 1.

    """

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.log, to: "app.log")
    try folder.write(
      "entities:\n  Task: { attributes: { title: string, size: integer32 } }",
      to: "model.yaml"
    )
    try folder.write("entities:\n  Note: { attributes: { text: string } }", to: "other.yaml")
    try folder.write(
      "format: 1\nmodel: model.yaml\nentities:\n  Task: { count: 2000 }",
      to: "recipe.yaml"
    )
  }

  private func run(
    _ arguments: String...
  ) -> (status: CommandStatus, output: String, errors: String) {
    let console = RecordingConsole()
    let paths = arguments.map { argument in
      [".yaml", ".sqlite", ".log"].contains { argument.hasSuffix($0) }
        ? folder.file(argument) : argument
    }
    let status = Storebench.run(paths, on: console.console)
    return (status, console.output, console.errors)
  }

  @Test func `names entities, properties and indexes by the model`() {
    let ending = run("analyze", "app.log", "--model", "model.yaml")
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(ending.errors.isEmpty)
    #expect(ending.output.contains("Fetch of Task by size: no index on size"), "\(ending.output)")
    #expect(ending.output.contains("medium confidence"))
    #expect(!ending.output.contains("4711") && !ending.output.contains("Zurich"))
  }

  @Test func `takes sizes and indexes from a store, and leaves its folder as it was`() throws {
    #expect(run("generate", "recipe.yaml", "--output", "app.sqlite").status == .done)
    let files = { try FileManager.default.contentsOfDirectory(atPath: folder.file("")).sorted() }
    let before = try files()
    let ending = run("analyze", "app.log", "--store", "app.sqlite")
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(ending.output.contains("no index on size, 2000 objects"), "\(ending.output)")
    #expect(ending.output.contains("high confidence"))
    #expect(try files() == before)
  }

  @Test func `checks limits on pages by a replay of the section`() throws {
    #expect(run("generate", "recipe.yaml", "--output", "app.sqlite").status == .done)
    try folder.write("list opens\n" + Self.log + "list is shown\n", to: "marked.log")
    func check(pages: Int, _ options: String...) throws -> (CommandStatus, String) {
      try folder.write(
        "actions:\n  - { name: list, from: list opens, to: list is shown, pages: \(pages) }\n",
        to: "actions.yaml"
      )
      let console = RecordingConsole()
      let status = Storebench.run(
        [
          "analyze", folder.file("marked.log"), "--actions", folder.file("actions.yaml"),
          "--work-folder", folder.file("sb"),
        ] + options.map { $0.hasSuffix(".sqlite") ? folder.file($0) : $0 },
        on: console.console
      )
      return (status, console.output)
    }
    let unknown = try check(pages: 1)
    #expect(unknown.0 == .done && unknown.1.contains("not checked: 'pages' needs a store"))
    // Fetch all 2,000 objects, because the store does not have the values of the other log.
    try folder.write(
      "list opens\nCoreData: sql: SELECT 0, t0.Z_PK, t0.ZSIZE FROM ZTASK t0\n"
        + "CoreData: annotation: total fetch execution time: 0.0301s for 2000 rows.\n"
        + "list is shown\n",
      to: "marked.log"
    )
    let exceeded = try check(pages: 1, "--store", "app.sqlite")
    #expect(exceeded.0 == .caseFailed && exceeded.1.contains(/pages +\d+ +1  exceeded in lines 1/))
    let within = try check(pages: 10_000, "--store", "app.sqlite")
    #expect(
      within.0 == .done && within.1.contains(/pages +[1-9]\d* +10,000  within/),
      "\(within.1)"
    )
  }

  @Test func `proposes an index for the statements of a log`() throws {
    #expect(run("generate", "recipe.yaml", "--output", "app.sqlite").status == .done)
    let fetch = """
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZSIZE FROM ZTASK t0 WHERE  t0.ZSIZE = ? 
      CoreData: details: SQLite bind[0] = -4711
      CoreData: annotation: sql connection fetch time: 0.0300s
      CoreData: annotation: total fetch execution time: 0.0301s for 0 rows.

      """
    try folder.write(String(repeating: fetch, count: 3), to: "filter.log")
    func output(_ arguments: String...) throws -> String {
      let console = RecordingConsole()
      let paths = arguments.map {
        $0.hasSuffix(".log") || $0.hasSuffix(".sqlite") ? folder.file($0) : $0
      }
      let status = Storebench.run(
        paths + ["--work-folder", folder.file("sb")],
        on: console.console
      )
      #expect(status == .done, "\(console.errors)")
      return console.output
    }
    let advice = try output("inspect", "app.sqlite", "--advise", "filter.log", "--allow-debug")
    #expect(advice.hasPrefix("1 new index saves 9"), "\(advice)")
    #expect(advice.contains("Task (size): saves 9"), "\(advice)")
    #expect(advice.contains("ON \"ZTASK\" (\"ZSIZE\")"), "\(advice)")
    // The output begins with the change that saves the most.
    let replayed = try output("analyze", "filter.log", "--store", "app.sqlite", "--replay")
    #expect(replayed.hasPrefix("Saves "), "\(replayed)")
    #expect(replayed.prefix(200).contains(": Index of Task on size"), "\(replayed)")
    #expect(replayed.contains("Task (size): saves 9"), "\(replayed)")
    #expect(replayed.contains("#Index<Task>([\\.size])"), "\(replayed)")
  }

  @Test func `writes a page, the answer first and without values`() {
    let ending = run("analyze", "app.log", "--model", "model.yaml", "--format", "html")
    #expect(ending.status == .done, "\(ending.errors)")
    let page = ending.output
    #expect(page.hasPrefix("<!doctype html>"))
    #expect(page.contains("<h1>Fetch of Task by size: no index on size"), "\(page.prefix(9000))")
    for part in [
      "Findings", "Core Data: ", "Statements", "Entities", "app.log", "unindexed-predicate",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    #expect(!page.contains("4711") && !page.contains("Zurich"))
    let compared = run("analyze", "app.log", "app.log", "--compare", "--format", "html")
    #expect(compared.output.contains("<h1>No statement differs"), "\(compared.output)")
  }

  @Test func `writes JSON`() throws {
    let ending = run("analyze", "app.log", "--format", "json")
    let object = try JSONSerialization.jsonObject(with: Data(ending.output.utf8))
    #expect((object as? [String: Any])?["kind"] as? String == "storebench-analysis")
  }

  @Test func `reads a folder of SQLite's statement logs with its starting database`() throws {
    #expect(run("generate", "recipe.yaml", "--output", "sqllog_4711_00.sqlite").status == .done)
    let logs = folder.file("logs")
    try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: folder.file("sqllog_4711_00.sqlite"),
      toPath: logs + "/sqllog_4711_00.db"
    )
    try folder.write(
      """
      -- Main database is '/tmp/elsewhere/sqllog_4711_00.db'
      SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZTASK t0 WHERE  t0.ZSIZE = 4711; -- clock=0

      """,
      to: "logs/sqllog_4711_00001.sql"
    )
    let ending = run("analyze", logs)
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(ending.errors.isEmpty, "\(ending.errors)")
    #expect(ending.output.contains("no index on size, 2000 objects"), "\(ending.output)")
    #expect(!ending.output.contains("4711"), "\(ending.output)")
  }

  @Test func `compares two logs`() throws {
    try folder.write(Self.log + Self.log, to: "later.log")
    let ending = run("analyze", "app.log", "later.log", "--compare")
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(ending.output == "No statement differs; 2 statements unchanged\n")
    #expect(run("analyze", "app.log", "--compare").status == .misuse)
  }

  @Test func `writes a copy without values`() throws {
    let ending = run("analyze", "app.log", "--anonymize", "shared.log")
    #expect(ending.status == .done)
    let shared = try String(contentsOfFile: folder.file("shared.log"), encoding: .utf8)
    #expect(!shared.contains("4711") && !shared.contains("Zurich"))
    #expect(run("analyze", "app.log", "--anonymize", "shared.log").status == .cannotWrite)
    // `--model` would have no effect, so it is refused.
    let ignored = run("analyze", "app.log", "--anonymize", "other.log", "--model", "v2.yaml")
    #expect(ignored.status == .misuse)
  }

  @Test func `ends bad input with one message and a status`() throws {
    try folder.write("nothing of interest\n", to: "foreign.log")
    try folder.write("a\0b", to: "binary.log")
    let cases: [([String], CommandStatus, String)] = [
      (["none.log"], .noInput, "there is no log at '"),
      (["foreign.log"], .badInput, "is not a log of Core Data, SwiftData or SQLite"),
      (["binary.log"], .badInput, "is a binary file or UTF-16 text, not a log"),
      (["app.log", "--model", "other.yaml"], .badInput, "has none of the log's tables (ZTASK)"),
    ]
    for (arguments, status, message) in cases {
      let console = RecordingConsole()
      let paths = arguments.map { $0.hasPrefix("--") ? $0 : folder.file($0) }
      #expect(Storebench.run(["analyze"] + paths, on: console.console) == status)
      #expect(console.errors.contains(message), "\(console.errors)")
      #expect(console.errors.count { $0 == "\n" } == 1)
      #expect(console.output.isEmpty)
    }
    #expect(
      run("analyze", "app.log", "--model", "model.yaml", "--store", "a.sqlite").status == .misuse
    )
  }

  @Test(arguments: [
    "INSERT INTO ZTASK(Z_PK, Z_E", "INSERT INTO ZTASK(Z_PK, Z_E\n",
    "SELECT 0, t0.Z_PK FROM ZTASK t0 WHERE t0.ZSIZE = ? AND t0.ZTI",
  ])
  func `notes a log that ends within columns or a condition`(cut: String) throws {
    try folder.write(Self.log + "CoreData: sql: " + cut, to: "cut.log")
    let ending = run("analyze", "cut.log")
    #expect(ending.status == .done)
    #expect(ending.errors == "note: truncated: a log ends within a statement\n")
  }

  @Test func `notes a truncated log`() throws {
    try folder.write(Self.log + "CoreData: sql: DELETE FROM ZTASK WHERE ZTITLE = 'a", to: "cut.log")
    let ending = run("analyze", "cut.log")
    #expect(ending.status == .done)
    #expect(ending.errors == "note: truncated: a log ends within a statement\n")
    let compared = run("analyze", "app.log", "cut.log", "--compare")
    #expect(compared.errors.contains("cut.log': truncated: "), "\(compared.errors)")
  }
}
