import Basics
import Foundation
import Runner
import TestSupport
import Testing
import WorkloadKinds

@testable import StoreBenchCommand

/// Tests the table in docs/ci.md: the gate's verdict on pull requests with one change each.
@Suite(.serialized) struct PullRequestTests {
  private let program: StorebenchProcess

  init() throws { program = try StorebenchProcess() }

  /// The files of a user's repository; each pull request changes some of them.
  private struct Files: Sendable {
    var taskAttributes =
      "title: { type: string }\n      isDone: { type: boolean, optional: false, default: false }\n"
      + "      priority: { type: integer16, optional: false, default: 0 }"
    var folderAttributes = "name: string"
    var taskIndexes = "byTitle: [title]"
    var notesRule = "cascade"
    var otherEntities = ""
    var model = "models/app.yaml"
    var recipe = "format: 1\nmodel: models/app.yaml\nseed: 5\n"
    var taskRecipe = "count: 300"
    var comment = ""
    var fetch = "strategy: batched, batchSize: 50, sort: [title]"
    var settings = ""
    var folders = "folders"
    /// Text inserted before the name of each workload file.
    var prefix = ""
    var extra: [String: String] = [:]
    var change: @Sendable (inout ResultDocument) -> Void = { _ in }
  }

  private func write(_ files: Files) throws {
    try program.folder.write(
      """
      identifier: "1"
      entities:
        Folder:
          attributes:
            \(files.folderAttributes)
          relationships:
            tasks: { to: Task, many: true, inverse: folder, delete: cascade }
            notes: { to: Note, many: true, inverse: folder, delete: \(files.notesRule) }
        Note:
          attributes: { text: string }
          relationships: { folder: { to: Folder, inverse: notes } }
        Task:
          attributes:
            \(files.taskAttributes)
          relationships: { folder: { to: Folder, inverse: tasks } }
          indexes: { \(files.taskIndexes) }
      \(files.otherEntities)
      """,
      to: "Workloads/\(files.model)"
    )
    try program.folder.write(
      """
      \(files.recipe)\(files.comment)
      entities:
        Folder: { count: 12 }
        Note: { count: 40 }
        Task: { \(files.taskRecipe) }
      """,
      to: "Workloads/recipes/app.yaml"
    )
    let store = "store: { recipe: recipes/app.yaml }\ntrials: { trials: 1 }\n"
    let workloads = [
      "fetch":
        "kind: fetch\n\(store)parameters: { entity: Task, \(files.fetch) }\n\(files.settings)",
      files.folders: "kind: fetch\n\(store)parameters: { entity: Folder, strategy: eager }\n",
      "delete":
        "kind: cascadeDelete\n\(store)parameters: { shape: own, entity: Folder, share: 0.5 }\n",
    ]
    try? FileManager.default.removeItem(atPath: program.folder.path + "/Workloads/ci")
    for (name, text) in workloads.merging(files.extra, uniquingKeysWith: { $1 }) {
      try program.folder.write(
        files.comment + "\n" + text,
        to: "Workloads/ci/\(files.prefix)\(name).yaml"
      )
    }
  }

  /// Runs the workload files in this process, with the same counters of SQLite as in a worker
  /// process.
  private func run(in environment: Environment) throws -> ResultDocument {
    let kinds = WorkloadCatalog.kinds
    let document = try Plan(paths: [program.folder.file("Workloads/ci")], kinds: kinds).result(
      in: program.folder,
      by: InProcessExecutor(kinds: kinds),
      environment: environment
    )
    try #require(document.failedCases.isEmpty, "\(document.failedCases)")
    return document
  }

  private struct Row: Sendable {
    var name: String
    var status: Int32
    /// The words that the first five lines of the verdict must contain.
    var words: [String]
    var edit: @Sendable (inout Files) -> Void
  }

  private static let table: [Row] = [
    Row(name: "comments", status: 0, words: ["No cost changed"]) { $0.comment = "# a comment" },
    Row(name: "key order of a recipe", status: 0, words: ["No cost changed"]) {
      $0.recipe = "seed: 5\nmodel: models/app.yaml\nformat: 1\n"
    },
    Row(name: "renamed workload", status: 0, words: ["No cost", "renamed from 'ci/folders'"]) {
      $0.folders = "lists"
    },
    Row(name: "all workloads renamed", status: 0, words: ["No cost", "renamed from"]) {
      $0.prefix = "app-"
    },
    Row(
      name: "new attribute",
      status: 0,
      words: ["content changed in 2 of 3 cases", "new attribute note of Folder (string, optional)"]
    ) { $0.folderAttributes = "name: string\n      note: string" },
    Row(name: "removed attribute", status: 0, words: ["no more attribute isDone of Task"]) {
      $0.taskAttributes =
        "title: { type: string }\n      priority: { type: integer16, optional: false, default: 0 }"
    },
    Row(name: "moved model", status: 0, words: ["in place of 'models/app.yaml'"]) {
      $0.model = "models/moved.yaml"
      $0.recipe = "format: 1\nmodel: models/moved.yaml\nseed: 5\n"
      $0.folderAttributes = "name: string\n      note: string"
    },
    Row(name: "new entity", status: 0, words: ["new entity Zone"]) {
      $0.otherEntities = "  Zone:\n    attributes: { name: string }"
    },
    Row(
      name: "new index",
      status: 2,
      words: ["rose", "new index byPriority of Task (priority)"]
    ) { $0.taskIndexes = "byTitle: [title], byPriority: [priority]" },
    Row(
      name: "dropped index",
      status: 2,
      words: ["rose", "no more index byTitle of Task (title)"]
    ) { $0.taskIndexes = "" },
    Row(
      name: "optional to required",
      status: 0,
      words: ["attribute title of Task (optional → required)"]
    ) {
      $0.taskAttributes = $0.taskAttributes.replacing(
        "{ type: string }",
        with: "{ type: string, optional: false }"
      )
    },
    Row(
      name: "delete rule",
      status: 0,
      words: ["relationship notes of Folder (delete rule cascade → delete rule nullify)"]
    ) { $0.notesRule = "nullify" },
    Row(name: "batch size", status: 2, words: ["rose", "batchSize 50 → 5"]) {
      $0.fetch = "strategy: batched, batchSize: 5, sort: [title]"
    },
    Row(name: "page size", status: 2, words: ["page_size 4096 → 1024"]) {
      $0.settings = "settings: { pageSize: 1024 }"
    },
    Row(name: "cache", status: 2, words: ["rose", "cache_size 2000 → 2"]) {
      $0.settings = "settings: { cachePages: 2 }"
    },
    Row(
      name: "recipe counts",
      status: 0,
      words: ["content changed in 3 of 3 cases", "Task 300 → 400"]
    ) { $0.taskRecipe = "count: 400" },
    Row(name: "recipe values", status: 0, words: ["values of Task"]) {
      $0.taskRecipe = "count: 300, attributes: { title: name }"
    },
    Row(name: "seed", status: 0, words: ["content changed in 3 of 3 cases", "seed 5 → 6"]) {
      $0.recipe = "format: 1\nmodel: models/app.yaml\nseed: 6\n"
    },
    Row(name: "kind's parameter", status: 0, words: ["limit 0 → 100"]) {
      $0.fetch = "strategy: batched, batchSize: 50, sort: [title], limit: 100"
    },
    Row(name: "trials", status: 0, words: ["No cost changed"]) {
      $0.settings = "# trials are no work"
    },
    Row(name: "machine", status: 0, words: ["No cost changed"]) {
      $0.change = { $0.environment.machine = "another machine" }
    },
    Row(
      name: "SQLite build",
      status: 3,
      words: ["Nothing could be compared", "this build of SQLite"]
    ) {
      $0.change = { $0.environment.sqliteSourceID = "2031-01-01 another" }
    },
    Row(
      name: "new workload",
      status: 3,
      words: ["No cost rose", "1 of 4 cases cannot be compared"]
    ) {
      $0.extra = [
        "more":
          "kind: fetch\nstore: { recipe: recipes/app.yaml }\nparameters: { entity: Note }\ntrials: { trials: 1 }\n"
      ]
    },
    // For 300 rows, the one statement of `eager` costs less than six batches.
    Row(name: "another strategy", status: 0, words: ["No cost rose", "strategy batched → eager"]) {
      $0.fetch = "strategy: eager, sort: [title]"
    },
  ]

  @Test func `each change of a pull request has its status, and its cause in the first lines`()
    throws
  {
    let environment = EnvironmentProbe.read(
      workFolder: program.folder.path,
      codeFolder: program.folder.path,
      startedAt: "2026-04-01T09:12:44Z"
    )
    let result = RunFolder(path: program.folder.file("result"))
    try FileManager.default.createDirectory(atPath: result.path, withIntermediateDirectories: true)
    try write(Files())
    try result.write(try run(in: environment))
    #expect(try program.run(["baseline", "update", "result"]).status == 0)
    for row in Self.table {
      var files = Files()
      row.edit(&files)
      try write(files)
      var document = try run(in: environment)
      files.change(&document)
      try result.write(document)
      let ending = try program.run(
        ["compare", "Results/baselines", "result", "--require-verdict"]
      )
      #expect(ending.status == row.status, "\(row.name):\n\(ending.output)")
      // The output wraps long lines.
      let first = ending.output.split(separator: "\n", omittingEmptySubsequences: true).prefix(5)
        .joined(separator: " ").split(separator: " ").joined(separator: " ")
      for words in row.words { #expect(first.contains(words), "\(row.name):\n\(ending.output)") }
      #expect(
        ending.output.firstMatch(of: #/[0-9a-f]{16}/#) == nil,
        "\(row.name):\n\(ending.output)"
      )
    }
  }
}
