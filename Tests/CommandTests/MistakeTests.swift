import Basics
import Foundation
import Runner
import SQLite
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests the complete messages for common mistakes of new users.
struct MistakeTests {
  private let results: StoredResults
  private var folder: String { results.folder.path }

  init() throws {
    results = try StoredResults()
    try results.folder.write("", to: "empty.json")
    for (name, text) in [
      ("key", "kind: fetch\nstore: { path: tasks.sqlite }\nparameters: { strategi: batched }\n"),
      ("kind", "kind: fech\nstore: { path: tasks.sqlite }\n"),
      ("count", "kind: fetch\nstore: { path: tasks.sqlite }\ntrials: { trials: 0 }\n"),
      ("recipe", "kind: fetch\nstore: { recipe: recipes/task.yaml }\n"),
    ] {
      try results.folder.write(text, to: name + ".yaml")
    }
    try results.folder.write("", to: "recipes/tasks.yaml")
    let notes = try Connection(path: folder + "/notes.sqlite", mode: .create)
    try notes.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
    let made = results.run([
      "generate", Repository.path("Workloads/recipes/tasks.yaml"), "--objects", "Task=20",
      "--output", folder + "/tasks.sqlite",
    ])
    try #require(made.status == .done, "\(made.errors)")
  }

  /// Returns the message of a command line; `W` is the repository's workloads, `@` the test's
  /// folder.
  private func message(of line: String) -> String {
    let workloads = Repository.path("Workloads")
    let arguments = line.split(separator: " ").map { word -> String in
      if word.hasPrefix("W/") { return workloads + word.dropFirst() }
      return word.hasPrefix("@/") ? folder + word.dropFirst() : String(word)
    }
    let ending = results.run(arguments)
    // A refused comparison prints its message in the first two lines of the output.
    let shown = ending.output.split(separator: "\n").prefix(2).map { $0 + "\n" }.joined()
    let text = (shown + ending.errors).replacing(folder, with: "@")
      .replacing(workloads, with: "W")
    return "$ storebench \(line)\n\(text)[\(ending.status.code)]\n"
  }

  @Test func `each says what is wrong, where, and what to do`() throws {
    _ = try results.write("result")
    _ = try results.write("elsewhere") { $0.environment.sqliteSourceID = "another" }
    let lines = [
      "rum W/fetch",
      "plan",
      "plan W/fetsh",
      "run W/fetch --trails 3",
      "plan W/fetch --trials 0",
      "plan W/fetch --trials three",
      "analyze app.log --format xml",
      "plan W/fetch/scrolling.yaml --set batchsize=20",
      "plan W/fetch/scrolling.yaml --set batchSize=-1",
      "plan W/fetch/scrolling.yaml --set batchSize",
      "plan W/fetch/scrolling.yaml --filter nothing*",
      "plan @/key.yaml",
      "plan @/kind.yaml",
      "plan @/count.yaml",
      "plan @/recipe.yaml",
      "plan W/recipes/tasks.yaml",
      "plan @/tasks.sqlite",
      "inspect @/task.sqlite",
      "inspect @/notes.sqlite",
      "plan W/fetch/scrolling.yaml --store @/tasks.sqlite --set entity=Tusk",
      "report @/empty.json",
      "compare @/elsewhere @/result",
      "generate W/recipes/tasks.yaml --objects Tusk=5 --output @/x.sqlite",
      "forecast W/fetch/scrolling.yaml --to 100k --allow-debug",
      "compare-live W/fetch/scrolling.yaml --against gti:main --allow-debug",
      "run W/fetch/scrolling.yaml --allow-debug --output @/empty.json/there",
    ]
    #expect(lines.count == 26)
    #expect(lines.map { message(of: $0) }.joined(separator: "\n") == Self.snapshot)
  }

  private static let snapshot = """
    $ storebench rum W/fetch
    unknown command 'rum'; did you mean 'run'? See 'storebench --help'
    [64]

    $ storebench plan
    Missing expected argument '<file> ...'; see 'storebench plan --help'
    [64]

    $ storebench plan W/fetsh
    no such file or folder: 'W/fetsh'; did you mean 'W/fetch'?
    [66]

    $ storebench run W/fetch --trails 3
    Unknown option '--trails'. Did you mean '--trials'? See 'storebench run --help'
    [64]

    $ storebench plan W/fetch --trials 0
    '--trials' must be from 1 to 100000, not 0; see 'storebench plan --help'
    [64]

    $ storebench plan W/fetch --trials three
    The value 'three' is invalid for '--trials <trials>'; see 'storebench plan --help'
    [64]

    $ storebench analyze app.log --format xml
    The value 'xml' is invalid for '--format <name>'. Please provide one of the following: text, \
    json, html, junit, github, markdown; see 'storebench analyze --help'
    [64]

    $ storebench plan W/fetch/scrolling.yaml --set batchsize=20
    W/fetch/scrolling.yaml: error: the kind 'fetch' has no parameter 'batchsize'; did you mean \
    'batchSize'?
    [65]

    $ storebench plan W/fetch/scrolling.yaml --set batchSize=-1
    W/fetch/scrolling.yaml: error: 'batchSize' must be from 1 to 100000, not -1
    [65]

    $ storebench plan W/fetch/scrolling.yaml --set batchSize
    '--set batchSize' must be name=value, such as batchSize=20; see 'storebench plan --help'
    [64]

    $ storebench plan W/fetch/scrolling.yaml --filter nothing*
    no case matches 'nothing*'; case IDs look like \
    'fetch/scrolling/accessPattern=scrollAll,strategy=eager', and '*' stands for any text
    [64]

    $ storebench plan @/key.yaml
    @/key.yaml:3:15: error: unknown key 'strategi' in 'parameters'; did you mean 'strategy'?
    [65]

    $ storebench plan @/kind.yaml
    @/kind.yaml:1:7: error: 'kind' cannot be 'fech'; did you mean 'fetch'?
    [65]

    $ storebench plan @/count.yaml
    @/count.yaml:3:19: error: 'trials' must be from 1 to 100000, not 0
    [65]

    $ storebench plan @/recipe.yaml
    @/recipe.yaml:2:18: error: no such file: '@/recipes/task.yaml'; did you mean \
    '@/recipes/tasks.yaml'?
    [65]

    $ storebench plan W/recipes/tasks.yaml
    W/recipes/tasks.yaml:4:1: error: this is a recipe, not a workload file; use 'storebench \
    generate'
    [65]

    $ storebench plan @/tasks.sqlite
    @/tasks.sqlite: error: this is a store, not a workload file; name a workload file here, and \
    the store with '--store' or, for 'forecast', '--like'
    [65]

    $ storebench inspect @/task.sqlite
    there is no store at '@/task.sqlite'; did you mean '@/tasks.sqlite'?
    [66]

    $ storebench inspect @/notes.sqlite
    '@/notes.sqlite' is a SQLite file but not a Core Data store: it has no table Z_PRIMARYKEY; name \
    a store of an app that uses Core Data or SwiftData
    [65]

    $ storebench plan W/fetch/scrolling.yaml --store @/tasks.sqlite --set entity=Tusk
    --set entity=Tusk: error: the store has no entity 'Tusk'; did you mean 'Task'?
    [65]

    $ storebench report @/empty.json
    '@/empty.json' is not a result: the file is empty; run the workloads again
    [65]

    $ storebench compare @/elsewhere @/result
    Nothing could be compared
    Cannot tell: the results cannot be compared: SQLite source id is 'another' in
    [65]

    $ storebench generate W/recipes/tasks.yaml --objects Tusk=5 --output @/x.sqlite
    the model of recipe 'W/recipes/tasks.yaml' has no entity 'Tusk'; did you mean 'Task'?
    [65]

    $ storebench forecast W/fetch/scrolling.yaml --to 100k --allow-debug
    'W/fetch/scrolling.yaml' is of the kind 'fetch': a forecast needs workload files of the kind \
    'migration'
    [65]

    $ storebench compare-live W/fetch/scrolling.yaml --against gti:main --allow-debug
    '--against gti:main' is not something to compare with: use 'binary:', 'git:', 'model:', \
    'pragma:', 'set:', 'sqlite:', or a path; did you mean 'git'?
    [65]

    $ storebench run W/fetch/scrolling.yaml --allow-debug --output @/empty.json/there
    cannot write '@/empty.json/there': not a directory
    [73]

    """
}
