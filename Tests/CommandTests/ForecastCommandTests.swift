import Basics
import Forecasting
import Runner
import TestSupport
import Testing
import WorkloadKinds

@testable import StoreBenchCommand

struct ForecastCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "identifier: \"1\"\nentities:\n  Task: { attributes: { title: string } }\n",
      to: "w/models/v1.yaml"
    )
    try folder.write(
      "format: 1\nmodel: models/v1.yaml\nseed: 5\nentities:\n  Task: { count: 300 }",
      to: "w/recipes/tasks.yaml"
    )
    try folder.write(
      "kind: migration\nstore: { recipe: recipes/tasks.yaml }\nparameters: { to: models/v1.yaml }\n",
      to: "w/migration.yaml"
    )
    try folder.write("kind: fetch\nstore: { recipe: recipes/tasks.yaml }\n", to: "w/fetch.yaml")
    try folder.write("CoreData: sql: SELECT 0, t0.Z_PK FROM ZTASK t0\n", to: "w/app.log")
    try folder.write(
      "kind: replay\nstore: { recipe: recipes/tasks.yaml }\nparameters: { log: app.log }\n",
      to: "w/replay.yaml"
    )
    try folder.write("objects\n100\n-5\n", to: "users.csv")
    try folder.write("{}", to: "profile.json")
    try folder.write(String(repeating: "\0", count: 100), to: "zeros.csv")
    try folder.write(
      "format: 1\nmodel: models/v1.yaml\nseed: 5\nentities:\n  Task: { count: 900 }",
      to: "w/recipes/others.yaml"
    )
    try folder.write(
      "kind: migration\nstore: { recipe: recipes/others.yaml }\nparameters: { to: models/v1.yaml }\n",
      to: "w/others.yaml"
    )
    try folder.write("photo_count,duration_seconds\n5,1\n", to: "observed.csv")
  }

  @Test(arguments: [
    (["--to", "0"], "'--to 0' must be a number of objects from 1 to 10,000,000,000, such as"),
    (["--to", "many"], "'--to many' must be a number of objects"),
    (["--to", "Task=many"], "'--to Task=many' must be a number of objects"),
    (["--to", "=5"], "'--to =5' must be a number of objects"),
    (["--to", "99999999999"], "'--to 99999999999' must be a number of objects from 1 to"),
    (
      ["--within", "fast"],
      "'--within fast' must be a time above 0, such as 3s, or a size of memory"
    ),
    (["--within", "memory=200MB", "--within", "memory=3s"], "'--within memory=3s' must be a time"),
    (
      ["--within", "disk=0MB"], "'--within disk=0MB' must be a time above 0, such as 3s, or a size"
    ),
    (["--set", "x"], "'--set x' must be name=value"),
    (["--on", "a", "--observed", "b"], "use either '--observed' or '--on'"),
  ])
  func `says in one line what is misused`(options: [String], message: String) {
    let console = RecordingConsole()
    let status = Storebench.run(["forecast", "x.yaml"] + options, on: console.console)
    #expect(status == .misuse)
    #expect(console.errors.hasPrefix(message), "\(console.errors)")
    #expect(console.errors.split(separator: "\n").count == 1)
  }

  @Test(arguments: [
    ("fetch.yaml", [], CommandStatus.badInput, "is of the kind 'fetch'"),
    (
      "migration.yaml", ["--population", "users.csv"], .badInput, "line 3: 'objects' must be from 0"
    ),
    ("migration.yaml", ["--population", "nobody.csv"], .noInput, "no such file or folder"),
    (
      "migration.yaml", ["--to", "Photo=5"], .badInput,
      "'--to Photo': unknown entity; available: 'Task'"
    ),
    ("migration.yaml", ["--population", "w"], .badInput, "is not a regular file"),
    ("migration.yaml", ["--population", "zeros.csv"], .badInput, "cannot be read as text"),
    ("migration.yaml", ["--on", "profile.json"], .badInput, "is not a machine profile"),
    (
      "migration.yaml", ["--observed", "observed.csv"], .badInput,
      "counts 'photo_count', but the store's entities are 'Task'"
    ),
  ])
  func `refuses bad input before anything is measured`(
    file: String,
    options: [String],
    status: CommandStatus,
    message: String
  ) throws {
    let console = RecordingConsole()
    let options = options.map { option in
      option.hasPrefix("--") || option.contains("=") ? option : folder.file(option)
    }
    let found = Storebench.run(
      ["forecast", folder.file("w/" + file), "--allow-debug", "--work-folder", folder.file("sb")]
        + options,
      on: console.console
    )
    #expect(found == status, "\(console.errors)")
    #expect(console.errors.contains(message), "\(console.errors)")
    #expect(console.errors.split(separator: "\n").count == 1)
    #expect(try !folder.contents().keys.contains { $0.contains("sb/stores") })
  }

  @Test func `tells what was chosen in place of what the file says, but not that a store is small`()
    throws
  {
    try folder.write(
      "identifier: \"1\"\nentities:\n  Photo: { attributes: { title: string } }\n",
      to: "w/models/photos.yaml"
    )
    let file = try folder.write(
      "kind: migration\nstore: { recipe: recipes/tasks.yaml }\n"
        + "parameters: { to: models/photos.yaml }\n",
      to: "w/photos.yaml"
    )
    let store = folder.file("own.sqlite")
    let console = RecordingConsole()
    #expect(
      Storebench.run(
        [
          "generate", folder.file("w/recipes/tasks.yaml"), "--output", store, "--work-folder",
          folder.file("sb"),
        ],
        on: console.console
      ) == .done
    )
    let plan = try Plan(
      paths: [file],
      kinds: WorkloadCatalog.kinds,
      overrides: Overrides(store: store)
    )
    #expect(plan.remarks.contains { $0.contains("too few for meaningful times") })
    let notes = plan.forecastNotes
    #expect(notes.contains { $0.contains("'models/photos.yaml' is not a version of the store's") })
    #expect(
      notes.contains { $0.hasPrefix("to the store's own model with one additional optional") }
    )
    #expect(
      !notes.contains {
        $0.contains("too few for meaningful times") || $0.contains("generate --like")
      }
    )
  }

  @Test func `leaves out cases that are expected to fail, and says so`() throws {
    let plan = try Plan(
      paths: [Repository.path("Workloads/migration/deduplicate.yaml")],
      kinds: WorkloadCatalog.kinds
    )
    let cases = try LadderCase.all(of: plan, like: nil)
    #expect(!cases.isEmpty)
    for ladderCase in cases { #expect(!ladderCase.name.contains("duplicates=failing")) }
    #expect(plan.forecastNotes.contains { $0.contains(" left out, expected to fail: ") })
    let failing = try Plan(
      paths: [Repository.path("Workloads/migration/deduplicate.yaml")],
      kinds: WorkloadCatalog.kinds,
      filter: "*duplicates=failing*"
    )
    let error = #expect(throws: Refusal.self) { try LadderCase.all(of: failing, like: nil) }
    #expect(error?.description.contains("every case is expected to fail") == true)
  }

  @Test func `takes a store profile in place of a store`() throws {
    let store = folder.file("own.sqlite")
    let work = ["--work-folder", folder.file("sb")]
    let making = RecordingConsole()
    let generate = ["generate", folder.file("w/recipes/tasks.yaml"), "--output", store] + work
    #expect(Storebench.run(generate, on: making.console) == .done)
    let profiling = RecordingConsole()
    #expect(Storebench.run(["inspect", store, "--profile"], on: profiling.console) == .done)
    try folder.write(profiling.output, to: "profile.yaml")
    let like = [
      "forecast", folder.file("w/migration.yaml"), "--like", folder.file("profile.yaml"),
      "--allow-debug",
    ]
    let asked = RecordingConsole()
    #expect(Storebench.run(like + ["--to", "Photo=5"] + work, on: asked.console) == .badInput)
    #expect(
      asked.errors.contains("'--to Photo': unknown entity; available: 'Task'"),
      "\(asked.errors)"
    )
    let model = folder.file("w/models/v1.yaml")
    let refused = RecordingConsole()
    #expect(Storebench.run(like + ["--model", model] + work, on: refused.console) == .badInput)
    #expect(refused.errors.contains("is a store profile: leave out '--model'"))
  }

  @Test func `says that a store has too few objects to make others like it`() throws {
    let note = try #require(ForecastCommand.note(onStore: "a.sqlite", objects: 2))
    let start = "the stores have the proportions of the 2 objects in 'a.sqlite': too few"
    #expect(note.hasPrefix(start), "\(note)")
    #expect(ForecastCommand.note(onStore: "a.sqlite", objects: 100) == nil)
  }

  @Test func `refuses strategies for stores of different recipes`() {
    let console = RecordingConsole()
    let status = Storebench.run(
      [
        "forecast", folder.file("w/migration.yaml"), folder.file("w/others.yaml"), "--allow-debug",
        "--work-folder", folder.file("sb"),
      ],
      on: console.console
    )
    #expect(status == .badInput)
    #expect(console.errors.contains("use different recipes"), "\(console.errors)")
  }

  @Test func `refuses a replay, and names what shows its growth`() {
    let console = RecordingConsole()
    let status = Storebench.run(
      [
        "forecast", folder.file("w/replay.yaml"), "--allow-debug", "--work-folder",
        folder.file("sb"),
      ],
      on: console.console
    )
    #expect(status == .badInput)
    #expect(console.errors.contains("is of the kind 'replay'"), "\(console.errors)")
    #expect(console.errors.contains("'analyze --replay --sizes 1,10'"), "\(console.errors)")
  }

  @Test(arguments: ["forecast", "calibrate"])
  func `help has an example`(command: String) {
    let console = RecordingConsole()
    #expect(Storebench.run([command, "--help"], on: console.console) == .done)
    #expect(console.output.contains("EXAMPLE: storebench \(command)"))
  }
}
