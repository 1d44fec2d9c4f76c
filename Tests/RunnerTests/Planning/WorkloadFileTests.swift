import Basics
import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner

struct WorkloadFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try writeRecipe(to: folder)
  }

  private func read(_ text: String, overrides: Overrides = Overrides()) throws -> WorkloadFile {
    let path = try folder.write(text, to: "fetch/paging.yaml")
    let plan = try Plan(paths: [path], kinds: [TallyWorkload.self], overrides: overrides)
    return try #require(plan.workloads.first).file
  }

  /// The problems of a file, without the path of its temporary folder.
  private func problems(_ text: String, overrides: Overrides = Overrides()) throws -> [String] {
    do {
      _ = try read(text, overrides: overrides)
      return []
    } catch let error as InvalidInput {
      let diagnostics = error.problems
      return diagnostics.map {
        $0.description.replacingOccurrences(of: folder.path + "/fetch/", with: "")
          .replacingOccurrences(of: folder.path, with: "FOLDER")
      }
    }
  }

  @Test(arguments: ["", ".git"])
  func `a model above the workloads has one name in every checkout`(marker: String) throws {
    let checkouts = try ["a", "deep er/b"].map { name -> [String] in
      if !marker.isEmpty { try folder.write("", to: "\(name)/\(marker)/HEAD") }
      for part in ["recipes/tasks.yaml", "models/v1.yaml", "models/v2.yaml"] {
        let text = try String(contentsOfFile: folder.file(part), encoding: .utf8)
        try folder.write(text, to: "\(name)/Tests/Load/\(part)")
        try folder.write(text, to: "\(name)/App/\(part)")
      }
      let store = "store: { recipe: recipes/tasks.yaml, model: ../../App/models/v2.yaml }"
      let path = try folder.write("kind: tally\n" + store, to: "\(name)/Tests/Load/f.yaml")
      let plan = try Plan(paths: [path], kinds: [TallyWorkload.self])
      return try #require(plan.workloads.first).file.inputs.map(\.file)
    }
    #expect(checkouts[0] == checkouts[1])
    #expect(checkouts[0].contains("../../App/models/v2.yaml"))
  }

  @Test func `reads every section of a file`() throws {
    let file = try read(
      """
      # Scrolling a long list.
      kind: tally
      store:
        recipe: recipes/tasks.yaml
        objects: { Task: 100_000 }
        seed: 20260401
        model: models/v2.yaml
        flavour: swiftData
      parameters:
        strategy: [scan, raiseInBatches]
        batchSize: [20, 100]
        share: 0.5
        size: 100 KB
        prefetch: [[], [project, tags], owner]
      trials: { trials: 10, iterations: 2, cache: cold, timeLimit: 90 s, seed: 7 }
      settings: { cachePages: 500, journalMode: delete, synchronous: full, pageSize: 8192 }
      budget: { vfs.syncs: 0, sqlite.vmSteps: 2.5 %, storeBytes: 64 KB, vfs.writes: 1_000 }
      """
    )
    #expect(file.name == "fetch/paging")
    #expect(file.folder == folder.path)
    #expect(
      file.store
        == .recipe(
          name: "recipes/tasks.yaml",
          RecipeReference(
            path: folder.path + "/recipes/tasks.yaml",
            objects: ["Task": 100_000],
            seed: 20_260_401,
            model: folder.path + "/models/v2.yaml",
            flavour: .swiftData
          )
        )
    )
    #expect(
      file.parameters.map(\.axis.name) == ["strategy", "batchSize", "share", "size", "prefetch"]
    )
    #expect(file.parameters[3].values.map(\.value) == [.integer(102_400)])
    #expect(
      file.parameters[4].values.map(\.value)
        == [.list([]), .list(["project", "tags"]), .list(["owner"])]
    )
    #expect(
      file.trials == TrialPolicy(trials: 10, iterations: 2, cache: .cold, timeLimit: 90, seed: 7)
    )
    #expect(
      file.settings
        == ConnectionSettings(
          journalMode: .delete,
          synchronous: .full,
          cachePages: 500,
          pageSize: 8192
        )
    )
    #expect(
      file.budget == [
        "vfs.syncs": .absolute(0), "sqlite.vmSteps": .percent(2.5),
        "storeBytes": .absolute(65_536), "vfs.writes": .absolute(1000),
      ]
    )
  }

  @Test func `reports everything wrong at once, each with its place`() throws {
    let found = try problems(
      """
      kind: tally
      stroe: { recipe: recipes/tasks.yaml }
      parameters:
        strategy: [scan, prob]
        batchsize: 20
        size: 100 parsecs
        share: 1.5
        isSorted: maybe
      trials: { trials: 0, cache: lukewarm }
      settings: { pageSize: 1000 }
      """
    )
    #expect(
      found == [
        "paging.yaml:1:1: error: the file lacks the key 'store', and no store was given",
        "paging.yaml:2:1: error: unknown key 'stroe' in the file; did you mean 'store'?",
        "paging.yaml:4:20: error: item 2 of 'strategy' cannot be 'prob'; did you mean 'probe'?",
        "paging.yaml:5:3: error: unknown key 'batchsize' in 'parameters'; did you mean 'batchSize'?",
        "paging.yaml:6:9: error: 'size' must be a size such as 4096 or 100 KB, not '100 parsecs'",
        "paging.yaml:7:10: error: 'share' must be from 0.0 to 1.0, not 1.5",
        "paging.yaml:8:13: error: 'isSorted' must be true or false, not text 'maybe'",
        "paging.yaml:9:19: error: 'trials' must be from 1 to 100000, not 0",
        "paging.yaml:9:29: error: 'cache' cannot be 'lukewarm' (one of warm, cold)",
        "paging.yaml:10:23: error: 'pageSize' cannot be '1000' (one of 512, 1024, 2048, 4096, "
          + "8192, 16384, 32768, 65536)",
      ]
    )
  }

  @Test(arguments: [
    (
      "kind: taly\nstore: { path: a }",
      "1:7: error: 'kind' cannot be 'taly'; did you mean 'tally'?"
    ),
    (
      "kind: tally\nstore: { path: a, seed: 1 }",
      "2:8: error: with 'path', only 'model' is allowed: an existing store has no recipe"
    ),
    (
      "kind: tally\nstore: { recipe: recipes/tusks.yaml }",
      "2:18: error: no such file: 'FOLDER/recipes/tusks.yaml'; did you mean "
        + "'FOLDER/recipes/tasks.yaml'?"
    ),
    (
      "kind: tally\nstore: { recipe: recipes/tasks.yaml, objects: { Tusk: 1 } }",
      "2:18: error: the model of recipe 'FOLDER/recipes/tasks.yaml' has no entity 'Tusk'; "
        + "did you mean 'Task'?"
    ),
    (
      "kind: tally\nstore: { objects: { A: 1 } }",
      "2:8: error: a store needs a 'recipe' or a 'path'"
    ),
    (
      "kind: tally\nstore: { path: a }\nexpect: { metric: wallClock, below: 1 }",
      "3:9: error: workload files test no claims any more: remove 'claim' and 'expect'"
    ),
    (
      "kind: tally\nstore: { path: a }\nclaim: { text: a, source: b }\nexpect: { metric: m }",
      "3:8: error: workload files test no claims any more: remove 'claim' and 'expect'"
    ),
    (
      "kind: tally\nstore: { path: a }\nparameters: { strategy: [] }",
      "3:25: error: 'strategy' has no values; leave it out for its default, scan"
    ),
    (
      "kind: tally\nstore: { path: a }\ntrials: { cache: cold, warmUps: 1 }",
      "3:33: error: a cold case cannot have warm-ups: they would fill the page cache"
    ),
    (
      "kind: tally\nstore: { path: a }\ntrials: { timeLimit: 5 }",
      "3:22: error: 'timeLimit' must be a time from 1 ms to 1440 min, such as 90 s"
    ),
    (
      "kind: tally\nstore: { path: a }\nparameters: { strategy: [scan, probe], isSorted: true }",
      "3:26: error: 'strategy' cannot be 'scan': a scan cannot be sorted: use 'probe'"
    ),
    (
      "kind: tally\nstore: { path: a }\nparameters: { strategy: scan, isSorted: true }",
      ": error: no case is possible: a scan cannot be sorted: use 'probe'"
    ),
    (
      "kind: tally\nstore: { path: a }\nbudget: { sqlite.vmStep: 1 }",
      "3:11: error: there is no metric 'sqlite.vmStep'; did you mean 'sqlite.vmSteps'?"
    ),
    (
      "kind: tally\nstore: { path: a }\nbudget: { flux: 1 }",
      "3:11: error: there is no metric 'flux'; exact costs are sizes such as storeBytes, and "
        + "counters of sqlite., vfs., files. and objects."
    ),
    (
      "kind: tally\nstore: { path: a }\nbudget: { wallClock: 2% }",
      "3:11: error: 'wallClock' can have no budget: it is not exact: 'compare --earlier' judges it "
        + "by the variation of earlier runs"
    ),
    (
      "kind: tally\nstore: { path: a }\nbudget: { sqlite.cacheHits: 2% }",
      "3:11: error: 'sqlite.cacheHits' can have no budget: it is not a cost, so it never fails a "
        + "comparison"
    ),
    (
      "kind: tally\nstore: { path: a }\nbudget: { vfs.syncs: -1 }",
      "3:22: error: 'vfs.syncs' must be a growth such as 0 or 20, or a share such as 2 %"
    ),
    (
      "kind: tally\nstore: { path: a }\nbudget: { storeBytes: 2 s }",
      "3:23: error: 'storeBytes' must be a growth such as 0 or 20, a size such as 64 KB, or a "
        + "share such as 2 %"
    ),
    ("", ": error: the file is empty"),
  ])
  func `says what is wrong and what to do`(text: String, problem: String) throws {
    let separator = problem.hasPrefix(":") ? "" : ":"
    #expect(try problems(text) == ["paging.yaml" + separator + problem])
  }

  @Test func `takes what the command line sets before what the file says`() throws {
    let overrides = Overrides(
      store: "other.sqlite",
      trials: 2,
      parameters: [
        .init(name: "strategy", yaml: "[probe, raise]"), .init(name: "size", yaml: "1 MB"),
      ]
    )
    let file = try read(
      "kind: tally\nstore: { recipe: r }\nparameters: { strategy: scan }",
      overrides: overrides
    )
    #expect(file.store == .file(path: "other.sqlite"))
    #expect(file.trials.trials == 2)
    #expect(
      file.parameters.map { $0.values.map(\.value) }
        == [[.text("probe"), .text("raise")], [.integer(1_048_576)]]
    )
  }

  @Test func `checks what the command line sets as it checks a file`() throws {
    let overrides = Overrides(parameters: [
      .init(name: "strategie", yaml: "scan"), .init(name: "batchSize", yaml: "[0]"),
    ])
    #expect(
      try problems("kind: tally\nstore: { path: a }", overrides: overrides) == [
        "paging.yaml: error: the kind 'tally' has no parameter 'strategie'; did you mean 'strategy'?",
        "paging.yaml: error: item 1 of 'batchSize' must be from 1 to 1000, not 0",
      ]
    )
  }

  @Test func `the parts of a model include what may change a cost`() {
    let entity = Entity(
      name: "Task",
      attributes: [
        Attribute(name: "count", type: .integer16, isOptional: false, defaultValue: .integer(1))
      ],
      fetchIndexes: [
        FetchIndex(
          name: "byCount",
          elements: [.init(property: "count", isAscending: false)],
          partialPredicate: "count > 0"
        )
      ]
    )
    #expect(
      InputFact(of: Model(entities: [entity]), file: "m.yaml").parts == [
        "attribute count of Task (integer16, required)", "entity Task",
        "index byCount of Task (count)", "settings",
        "settings of attribute count of Task (default 1)",
        "settings of index byCount of Task (count descending, where \"count > 0\")",
      ]
    )
  }
}
