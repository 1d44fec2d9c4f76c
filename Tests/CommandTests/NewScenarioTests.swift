import Basics
import Foundation
import SQLite
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests that the program runs and logs steps, and makes a scenario from the log.
@Suite struct `A scenario from a log` {
  private let process: StorebenchProcess

  init() throws {
    process = try StorebenchProcess()
    let made = try process.run([
      "generate", "Workloads/recipes/tasks.yaml", "--output", "tasks.sqlite",
    ])
    #expect(made.status == 0, "\(made.errors)")
    let steps = """
      kind: scenario
      store: { path: ../tasks.sqlite }
      parameters:
        steps:
          - { fetch: Task, sort: [-title], batch: 20, read: 60 }
          - { count: Task }
          - { fetch: Task, where: "isDone >= 0" }
          - { fetch: Task, choose: inTurn, times: 3 }
          - { insert: Task, objects: 4 }
          - save
          - { update: Task, objects: 5, set: [title] }
          - save
      trials: { trials: 1 }
      """
    try process.folder.write(steps, to: "Workloads/app.yaml")
    let logged = try process.run([
      "run", "Workloads/app.yaml", "--allow-debug", "--output", "first", "--log", "app.log",
    ])
    #expect(logged.status == 0, "\(logged.errors)")
  }

  @Test func `has the log's steps, which can be planned and run`() throws {
    let made = try process.run([
      "new", "scenario", "again", "--from", "app.log", "--store", "tasks.sqlite",
    ])
    #expect(made.status == 0, "\(made.errors)")
    let text = try String(contentsOfFile: process.folder.file("again.yaml"), encoding: .utf8)
    // A log shows how many objects a condition selected, but not which.
    let tasks = try Connection(path: process.folder.file("tasks.sqlite"), mode: .readOnly)
    let count = "SELECT count(*) FROM ZTASK WHERE ZISDONE >= 0"
    let selected = try #require(try tasks.integer(count))
    for step in [
      "- { fetch: Task, limit: \(selected) }",
      "- { fetch: Task, sort: [-title], batch: 20, read: 60 }", "- { count: Task }",
      "- { insert: Task, objects: 4", "- save", "- { update: Task, objects: 5, set: [title] }",
    ] {
      #expect(text.contains(step), "\(step) in:\n\(text)")
    }
    let run = try process.run([
      "run", "again.yaml", "--allow-debug", "--output", "second", "--trials", "1",
    ])
    #expect(run.status == 0, "\(run.errors)\(run.output)")
  }

  @Test func `is refused where the log is none, or the store`() throws {
    try process.folder.write("nothing of interest\n", to: "other.log")
    let log = try process.run([
      "new", "scenario", "x", "--from", "other.log", "--store", "tasks.sqlite",
    ])
    #expect(log.status == 65 && log.errors.contains("'other.log' is not a log"))
    let store = try process.run([
      "new", "scenario", "x", "--from", "app.log", "--store", "none.sqlite",
    ])
    #expect(store.status == 66 && store.errors.contains("none.sqlite"))
    #expect(!FileManager.default.fileExists(atPath: process.folder.file("x.yaml")))
  }
}

@Suite struct `A new scenario` {
  private let folder: TemporaryFolder

  /// Makes a store of folders with notes, each with its own external file.
  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      entities:
        Folder:
          attributes: { title: string }
          relationships: { notes: { to: Note, many: true, inverse: folder } }
        Note:
          attributes:
            title: string
            isPinned: boolean
          relationships: { folder: { to: Folder, inverse: notes } }
        Page:
          relationships: { file: { to: File, inverse: page, optional: false } }
        File:
          relationships: { page: { to: Page, inverse: file } }
      """,
      to: "model.yaml"
    )
    try folder.write(
      """
      format: 1
      model: model.yaml
      entities:
        Folder: { count: 2 }
        Note: { count: 20 }
        Page: { count: 2 }
        File: { count: 2 }
      """,
      to: "recipe.yaml"
    )
    let console = RecordingConsole()
    let words = ["generate", folder.file("recipe.yaml"), "--output", folder.file("app.sqlite")]
    #expect(Storebench.run(words, on: console.console) == .done, "\(console.errors)")
  }

  private func made(_ statements: [String]) throws -> (text: String, errors: String) {
    let lines = ["BEGIN EXCLUSIVE"] + statements + ["COMMIT"]
    try folder.write(lines.map { "CoreData: sql: \($0)\n" }.joined(), to: "app.log")
    let console = RecordingConsole()
    let words = ["new", "scenario", folder.file("app"), "--from", folder.file("app.log")]
    let store = ["--store", folder.file("app.sqlite")]
    #expect(Storebench.run(words + store, on: console.console) == .done, "\(console.errors)")
    let text = try String(contentsOfFile: folder.file("app.yaml"), encoding: .utf8)
    return (text, console.errors)
  }

  @Test func `can be run, though its log inserts parents with children and changes too much`()
    throws
  {
    let update = "UPDATE ZNOTE SET ZISPINNED = ?, ZFOLDER = ? WHERE Z_PK = ? AND Z_OPT = ?"
    let (text, errors) = try made(
      [
        "INSERT INTO ZFOLDER(Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES(?, ?, ?, ?)",
        "INSERT INTO ZNOTE(Z_PK, Z_ENT, Z_OPT, ZFOLDER, ZTITLE) VALUES(?, ?, ?, ?, ?)",
      ] + Array(repeating: update, count: 30)
    )
    #expect(
      text.contains("- { update: Note, objects: 21, set: [isPinned], to: { folder: uniform } }"),
      "\(text)"
    )
    #expect(text.contains("# Differences from the log:\n# - "))
    #expect(errors.contains("next: storebench run"), "\(errors)")
  }

  @Test func `says at once why it is refused`() throws {
    let (_, errors) = try made([
      "INSERT INTO ZPAGE(Z_PK, Z_ENT, Z_OPT, ZFILE) VALUES(?, ?, ?, ?)"
    ])
    #expect(errors.contains("'storebench run' refuses the file as it is"), "\(errors)")
    #expect(errors.contains("'file' must lead to an object"))
    #expect(!errors.contains("next: storebench run"))
  }
}
