import Foundation
import SQLite
import TestSupport
import Testing

/// A scenario from a log, by the program itself: steps are run and logged, and the log becomes steps
/// again.
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
          - { fetch: Task, where: "sortOrder < 7" }
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
    // What a condition selected is not in a log, but how many objects it did select is.
    let tasks = try Connection(path: process.folder.file("tasks.sqlite"), mode: .readOnly)
    let selected = try #require(try tasks.integer("SELECT count(*) FROM ZTASK WHERE ZSORTORDER < 7"))
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
