import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests how the costs of real cases grow, as measured by the program on small stores.
@Suite(.serialized) struct GrowthCommandTests {
  private let program: StorebenchProcess

  init() throws {
    program = try StorebenchProcess()
    try writeStore(Harmless(testDescription: "nothing"))
  }

  private func writeStore(_ change: Harmless) throws {
    try program.folder.write(
      """
      identifier: "1"
      entities:
        Folder:
          attributes: { name: string }
          relationships: { tasks: { to: Task, many: true, inverse: folder, delete: cascade } }
        Task:
          attributes: { title: string\(change.attributes) }
          relationships: { folder: { to: Folder, inverse: tasks } }
          indexes: { \(change.indexes) }
      """,
      to: "Workloads/models/app.yaml"
    )
    try program.folder.write(
      """
      \(change.comment)
      format: 1
      model: models/app.yaml
      seed: \(change.seed)
      entities:
        Folder: { count: \(change.folders) }
        Task: { \(change.tasks) }
      """,
      to: "Workloads/recipes/app.yaml"
    )
  }

  private func write(_ name: String, kind: String, _ parameters: String, grows: String?) throws {
    try program.folder.write(
      """
      kind: \(kind)
      store: { recipe: recipes/app.yaml }
      parameters: { \(parameters) }
      trials: { trials: 1 }
      \(grows.map { "grows: { \($0) }" } ?? "")
      """,
      to: "Workloads/growth/\(name).yaml"
    )
  }

  private func growth(_ options: String...) throws -> StorebenchProcess.Ending {
    try program.run(["growth", "Workloads/growth"] + options)
  }

  @Test func `a quadratic cost is found on stores of some thousand objects, and linear ones pass`()
    throws
  {
    let delete = "shape: own, entity: Folder, share: 0.5"
    try write(
      "fetch",
      kind: "fetch",
      "entity: Task, strategy: [eager, batched]",
      grows: "sqlite.vmSteps: n"
    )
    try write("delete", kind: "cascadeDelete", delete, grows: "sqlite.vmSteps: n")
    let linear = try growth()
    #expect(linear.status == 0, "\(linear.output)\(linear.errors)")
    #expect(
      linear.output.hasPrefix("None of 3 costs grows faster than declared"),
      "\(linear.output)"
    )
    // Without an index on the to-one relationship, deleting a folder reads every task.
    try write(
      "delete",
      kind: "cascadeDelete",
      delete + ", childIndex: false",
      grows: "sqlite.vmSteps: n"
    )
    try program.folder.write("objects\n50\n2000000\n", to: "users.csv")
    let planted = try growth("--population", "users.csv")
    #expect(planted.status == 2, "\(planted.output)\(planted.errors)")
    let text = planted.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("1 of 3 costs grows faster than declared"), "\(text)")
    #expect(
      text.contains(/growth\/delete\S*: sqlite.vmSteps grows as n\^(1\.[89]|2\.0), declared n/),
      "\(text)"
    )
    #expect(text.contains("at 2,000,000 objects, the largest user's store:"), "\(text)")
    #expect(text.contains("over the limit of 20 s (watchdog)"), "\(text)")
    let annotations = try growth("--format", "github").output
    #expect(annotations.contains("::error title=growth/delete"), "\(annotations)")
  }

  @Test func `what cannot be declared or measured is named`() throws {
    try write("fetch", kind: "fetch", "entity: Task", grows: nil)
    let none = try growth()
    #expect(none.status == 65)
    #expect(none.errors.contains("add a line such as 'grows: { sqlite.vmSteps: n }'"))
    for (grows, words) in [
      ("sqlite.vmSteps: n!", "must be one of 1, log n, n, n log n, n^2, n^3, not 'n!'"),
      ("wallClock: n", "'wallClock' can have no declared growth: it is not exact"),
      ("sqlite.vmStep: n", "there is no metric 'sqlite.vmStep'; did you mean 'sqlite.vmSteps'?"),
    ] {
      try write("fetch", kind: "fetch", "entity: Task", grows: grows)
      let ending = try growth()
      #expect(ending.status == 65)
      #expect(ending.errors.contains(words), "\(ending.errors)")
    }
  }

  @Test func `a fault for each row is found where the statements are declared constant`() throws {
    let loop = "entity: Task, strategy: eager, touchedShare: 1, relationship: folder"
    let grows = "sqlite.statementsRun: 1"
    try write("fetch", kind: "fetch", loop + ", prefetch: [folder]", grows: grows)
    let prefetched = try growth()
    #expect(prefetched.status == 0, "\(prefetched.output)\(prefetched.errors)")
    // Without prefetching, each folder is fetched when its first task accesses it.
    try write("fetch", kind: "fetch", loop, grows: grows)
    let planted = try growth()
    #expect(planted.status == 2, "\(planted.output)\(planted.errors)")
    let text = planted.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("sqlite.statementsRun grows as n^1.0, declared 1"), "\(text)")
  }

  /// Without the index, each search reads all tasks.
  @Test func `an index dropped from the model is found where the search is declared logarithmic`()
    throws
  {
    let search = "entity: Task, predicate: \"title == 'none'\", matches: 0"
    try write("search", kind: "fetch", search, grows: "sqlite.vmSteps: log n")
    try writeStore(Harmless(testDescription: "indexed", indexes: "byTitle: [title]"))
    let indexed = try growth()
    #expect(indexed.status == 0, "\(indexed.output)\(indexed.errors)")
    try writeStore(Harmless(testDescription: "not indexed"))
    let planted = try growth()
    #expect(planted.status == 2, "\(planted.output)\(planted.errors)")
    let text = planted.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("sqlite.vmSteps grows as n^1.0, declared log n"), "\(text)")
  }

  @Test func `an upgrade is shown before a change and after it`() throws {
    func writeNextModel(_ more: String) throws {
      let model = try String(
        contentsOfFile: program.folder.file("Workloads/models/app.yaml"),
        encoding: .utf8
      )
      let next = model.replacing("title: string", with: "title: string, note: string")
        .replacing("indexes: {", with: "indexes: { \(more)")
      try program.folder.write(next, to: "Workloads/models/next.yaml")
    }
    try writeNextModel("")
    let grows = "sqlite.vmSteps: n log n"
    try write("upgrade", kind: "migration", "to: models/next.yaml, shape: rebuild", grows: grows)
    let commit = "git -c user.name=a -c user.email=a@b.example commit --quiet -m first"
    let made = try program.start(
      ["-e", "-c", "git init --quiet && git add . && \(commit)"],
      program: "/bin/bash"
    ).wait()
    try #require(made.status == 0, "\(made.errors)")
    try program.folder.write("objects\n50\n20000\n", to: "users.csv")
    let same = try growth("--against", "git:HEAD", "--population", "users.csv")
    #expect(same.status == 0, "\(same.output)\(same.errors)")
    let text = same.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let place = "at 20,000 objects, the largest user's store: "
    #expect(
      text.contains(/at 20,000 objects.* \(sqlite.vmSteps (\S+) → \1\), in growth\/upgrade/),
      "\(text)"
    )
    try writeNextModel("byNote: [note]")
    let dearer = try growth(
      "--against",
      "git:HEAD",
      "--population",
      "users.csv",
      "--format",
      "github"
    )
    #expect(dearer.output.contains(place), "\(dearer.output)\(dearer.errors)")
    #expect(!dearer.output.contains(/sqlite.vmSteps (\S+) → \1\)/), "\(dearer.output)")
    let unknown = try growth("--against", "git:nowhere")
    #expect(unknown.status == 65)
    let reason = "'--against git:nowhere' is not a revision of"
    #expect(unknown.errors.contains(reason), "\(unknown.errors)")
    #expect(try growth("--against", "main").status == 64)
  }

  /// A change to the model, recipe or workload file that does not slow down large stores.
  struct Harmless: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var attributes = ""
    var indexes = ""
    var tasks = "count: 200"
    var folders = 20
    var seed = 5
    var fetch = "strategy: eager"
    var comment = ""
    var delete = "share: 0.5"
  }

  static let harmless = [
    Harmless(testDescription: "nothing"),
    Harmless(testDescription: "a comment", comment: "# a comment"),
    Harmless(testDescription: "a new attribute", attributes: ", note: string"),
    Harmless(
      testDescription: "three new attributes",
      attributes: ", a: string, b: date, c: double"
    ),
    Harmless(testDescription: "a binary attribute", attributes: ", scan: binary"),
    Harmless(testDescription: "an index of a text", indexes: "byTitle: [title]"),
    Harmless(testDescription: "two indexes", indexes: "byTitle: [title], byFolder: [folder]"),
    Harmless(testDescription: "another seed", seed: 6),
    Harmless(testDescription: "half of the tasks", tasks: "count: 100"),
    Harmless(testDescription: "half more tasks", tasks: "count: 300"),
    Harmless(testDescription: "more folders", folders: 40),
    Harmless(testDescription: "batches of 20", fetch: "strategy: batched, batchSize: 20"),
    Harmless(testDescription: "batches of 100", fetch: "strategy: batched, batchSize: 100"),
    Harmless(testDescription: "faults one by one", fetch: "strategy: faults"),
    Harmless(testDescription: "a count alone", fetch: "strategy: count"),
    Harmless(testDescription: "sorted", fetch: "strategy: eager, sort: [title]"),
    Harmless(
      testDescription: "sorted by an index",
      indexes: "byTitle: [title]",
      fetch: "strategy: eager, sort: [title]"
    ),
    Harmless(testDescription: "at most ten", fetch: "strategy: eager, limit: 10"),
    Harmless(testDescription: "fewer deleted", delete: "share: 0.25"),
    Harmless(testDescription: "all deleted", delete: "share: 1"),
  ]

  /// Tests a quarter of the harmless changes, and all of them in `make fuzz`.
  @Test(arguments: FuzzSeeds.part(of: harmless, every: 4, from: 2))
  func `fuzz: a harmless change passes`(change: Harmless) throws {
    try writeStore(change)
    let grows = "sqlite.vmSteps: n log n"
    try write("fetch", kind: "fetch", "entity: Task, \(change.fetch)", grows: grows)
    let delete = "shape: own, entity: Folder, \(change.delete)"
    try write("delete", kind: "cascadeDelete", delete, grows: grows)
    let ending = try growth()
    #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
  }
}
