import Basics
import Runner
import TestSupport
import Testing

@testable import StoreBenchCommand

struct CompareCommandTests {
  private let results: StoredResults
  private let steps = Metric.counter("sqlite.vmSteps")

  init() throws {
    results = try StoredResults()
  }

  private func run(_ arguments: [String]) -> StoredResults.Ending { results.run(arguments) }

  @Test(
    arguments: [
      (100, [:], 0, "2 costs compared: 0 regressed, 0 improved, 2 unchanged, 0 cannot tell"),
      (101, [:], 2, "2 costs compared: 1 regressed, 0 improved, 1 unchanged, 0 cannot tell"),
      (99, [:], 0, "2 costs compared: 0 regressed, 1 improved, 1 unchanged, 0 cannot tell"),
      (
        102, ["sqlite.vmSteps": .percent(2)], 0,
        "2 costs compared: 0 regressed, 0 improved, 1 within budget, 1 unchanged, 0 cannot tell"
      ),
      (
        103, ["sqlite.vmSteps": .percent(2)], 2,
        "2 costs compared: 1 regressed, 0 improved, 1 unchanged, 0 cannot tell"
      ),
    ] as [(Double, [String: Budget], Int32, String)]
  )
  func `gates a counter by the budget of its workload file`(
    steps: Double,
    budget: [String: Budget],
    status: Int32,
    summary: String
  ) throws {
    let baseline = try results.write("baseline")
    let result = try results.write("result", steps: steps) { $0.workloads[0].budget = budget }
    let ending = run(["compare", baseline, result, "--require-verdict"])
    #expect(ending.status.code == status)
    #expect(ending.output.replacing("\n", with: " ").contains(summary), "\(ending.output)")
  }

  @Test func `judges times where a folder of runs shows how they scatter`() throws {
    for (index, seconds) in [1.0, 1.02, 0.98, 1.01, 0.99].enumerated() {
      _ = try results.write("runs/\(index)", seconds: seconds)
    }
    let slow = try results.write("slow", seconds: 2)
    let baseline = results.folder.path + "/runs/0"
    let shown = run(["compare", baseline, slow])
    #expect(shown.status == .done)
    #expect(shown.output.contains("not judged"))
    let judged = run(["compare", baseline, slow, "--earlier", results.folder.path + "/runs"])
    #expect(judged.status == .regression)
    let words = judged.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("are judged by the medians of 5 earlier results"), "\(judged.output)")
    #expect(judged.output.contains("usual"))
    #expect(judged.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let few = run(["compare", baseline, slow, "--earlier", baseline])
    #expect(few.status == .done)
    #expect(few.output.contains("this needs 5"))
  }

  @Test func `exits with 3 where it cannot tell, if asked to, and counts it in any case`() throws {
    let baseline = try results.write("baseline")
    let result = try results.write("result") {
      $0.workloads[0].cases[0].samples = [Sample(metric: steps, trials: [[1], [2]])]
    }
    let ending = run(["compare", baseline, result])
    #expect(ending.status == .done)
    #expect(ending.output.contains("2 cannot tell"))
    #expect(run(["compare", baseline, result, "--require-verdict"]).status == .undecided)
  }

  @Test func `refuses unlike things by name`() throws {
    let baseline = try results.write("baseline")
    let result = try results.write("result") { $0.environment.sqliteSourceID = "another" }
    let ending = run(["compare", baseline, result])
    #expect(ending.status == .badInput)
    #expect(
      ending.output.hasPrefix(
        """
        Nothing could be compared
        Cannot tell: the results cannot be compared: SQLite source id is
        """
      ),
      "\(ending.output)"
    )
    #expect(ending.output.contains("\n1. Build changed: a different build of SQLite 3.40.1\n"))
    #expect(ending.errors.isEmpty)
  }

  /// Writes a result of a workload whose model has the given indexes of `Task`.
  private func write(_ name: String, indexes: [String], steps: Double) throws -> String {
    try results.write(name, steps: steps) {
      $0.workloads[0].store.digest = indexes.joined()
      $0.workloads[0].inputs = [
        InputFact(
          .model,
          file: "models/tasks/v1.yaml",
          digest: indexes.joined(),
          parts: ["entity Task"] + indexes.map { "index \($0) of Task (priority)" }
        ),
        InputFact(.recipe, file: "recipes/tasks.yaml", digest: "same"),
      ]
    }
  }

  @Test func `names a changed model with its file, and a new index with its name`() throws {
    let baseline = try write("baseline", indexes: ["byDate"], steps: 1000)
    let result = try write("result", indexes: ["byDate", "byPriority"], steps: 1250)
    let ending = run(["compare", baseline, result])
    #expect(ending.status == .regression)
    for line in [
      "1 cost rose", "2 costs compared: 1 regressed, 0 improved, 1 unchanged, 0 cannot tell.",
      "1. Model 'models/tasks/v1.yaml' changed: new index byPriority of Task (priority)",
      "  - ci/fetch, 1 case: SQLite steps +25 %",
    ] {
      #expect(ending.output.split(separator: "\n").contains(Substring(line)), "\(ending.output)")
    }
  }

  @Test func `a changed recipe is named, and its costs stand side by side`() throws {
    let baseline = try results.write("baseline") {
      $0.workloads[0].inputs = [InputFact(.recipe, file: "recipes/tasks.yaml", digest: "a")]
    }
    let result = try results.write("result", steps: 5000) {
      $0.workloads[0].inputs = [InputFact(.recipe, file: "recipes/tasks.yaml", digest: "b")]
      $0.workloads[0].store.objects = ["Task": 20_000]
      $0.workloads[0].store.digest = "another"
    }
    let ending = run(["compare", baseline, result])
    #expect(ending.status == .done)
    let output = ending.output.replacing("\n", with: " ")
    for words in [
      "Recipe 'recipes/tasks.yaml' changed: Task 300 → 20,000", "content changed in 1 of 1 case",
    ] { #expect(output.contains(words), "\(output)") }
  }

  /// Writes a result whose case uses the given entities, with the given parts of its model.
  private func write(
    _ name: String,
    model file: String = "models/app.yaml",
    parts: [String],
    entities: [String] = [],
    steps: Double
  ) throws -> String {
    try results.write(name, steps: steps) {
      let digest = parts.joined()
      $0.workloads[0].store.digest = digest
      $0.workloads[0].inputs = [InputFact(.model, file: file, digest: digest, parts: parts)]
      $0.workloads[0].cases[0].entities = entities
    }
  }

  private func words(_ ending: StoredResults.Ending) -> String {
    ending.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test(
    arguments: [
      ("Item", "Task", 0), ("Task", "Item", 0), ("Task", "Note", 2),
    ] as [(String, String, Int32)]
  )
  func `a changed entity changes its subentities, and its parents, which include its objects`(
    changed: String,
    named: String,
    status: Int32
  ) throws {
    let parts = [
      "attribute name of Item (string, optional)", "entity Item",
      "entity Note (subentity of Item)", "entity Task (subentity of Item, abstract)",
    ]
    let more = parts + ["attribute text of \(changed) (string, optional)"]
    let baseline = try write("baseline", parts: parts, entities: [named], steps: 100)
    let result = try write("result", parts: more, entities: [named], steps: 101)
    let ending = run(["compare", baseline, result])
    #expect(ending.status.code == status, "\(ending.output)")
  }

  @Test func `a model that was moved and changed is a cause with its former file`() throws {
    let parts = ["attribute title of Task (string, optional)", "entity Task"]
    let index = "index byTitle of Task (title)"
    let baseline = try write("baseline", model: "models/v1.yaml", parts: parts, steps: 100)
    let result = try write("result", model: "app/v1.yaml", parts: parts + [index], steps: 90)
    let ending = run(["compare", baseline, result])
    #expect(ending.status == .done, "\(ending.output)")
    let cause = "Model 'app/v1.yaml' changed: in place of 'models/v1.yaml', new \(index)"
    #expect(words(ending).contains(cause), "\(ending.output)")
  }

  @Test func `the direction of an index and a default are named, if both sides record them`()
    throws
  {
    let old = [
      "attribute rank of Task (integer16, optional)", "entity Task", "index byRank of Task (rank)",
    ]
    let new =
      old + [
        "settings", "settings of attribute rank of Task (default 1)",
        "settings of index byRank of Task (rank descending)",
      ]
    let bare = try write("bare", parts: old, steps: 100)
    let plain = try write("plain", parts: old + ["settings"], steps: 100)
    let result = try write("result", parts: new, steps: 100)
    let change =
      "index byRank of Task (now rank descending), attribute rank of Task (now default 1)"
    let known = run(["compare", plain, result])
    #expect(words(known).contains("changed: \(change)"), "\(known.output)")
    let unknown = run(["compare", bare, result])
    #expect(words(unknown).contains("settings of its entities, attributes or indexes"))
  }

  @Test(arguments: ["table", "junit", "github", "markdown"])
  func `every format prints something in every outcome`(format: String) throws {
    let baseline = try results.write("baseline")
    let outcomes: [(String, CommandStatus)] = [
      (baseline, .done), (try results.write("worse", steps: 200), .regression),
      (try results.write("other") { $0.environment.sqliteSourceID = "another" }, .badInput),
      (try results.write("alien") { $0.workloads[0].workload = "b" }, .badInput),
    ]
    for (result, status) in outcomes {
      let ending = run(["compare", baseline, result, "--format", format])
      #expect(ending.status == status)
      let words = format == "junit" ? "<testcase" : "compared"
      #expect(ending.output.contains(words), "\(ending.output)")
    }
    let missing = run(["compare", results.folder.path + "/none", baseline, "--format", format])
    #expect(missing.status == .noInput)
    #expect(missing.output.contains("there is no baseline at"), "\(missing.output)")
  }
}
