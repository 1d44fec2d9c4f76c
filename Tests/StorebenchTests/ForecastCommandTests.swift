import TestSupport
import Testing

@testable import storebench

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
    try folder.write("objects\n100\n-5\n", to: "users.csv")
    try folder.write("{}", to: "profile.json")
    try folder.write("photo_count,duration_seconds\n5,1\n", to: "observed.csv")
  }

  @Test(arguments: [
    (["--to", "0"], "'--to 0' must be a number of objects from 1 on, such as 250000, or a size"),
    (["--to", "many"], "'--to many' must be a number of objects"),
    (["--within", "fast"], "'--within fast' must be a time, such as 3s"),
    (["--memory", "3s"], "'--memory 3s' must be a size, such as 200MB"),
    (["--free-disk", "0MB"], "'--free-disk 0MB' must be a size, such as 200MB"),
    (["--set", "x"], "'--set x' must be name=value"),
    (["--on", "a", "--observed", "b"], "name either '--observed' or '--on'"),
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
    ("migration.yaml", ["--on", "profile.json"], .badInput, "is no profile of a machine"),
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
    let options = options.map { $0.hasPrefix("--") ? $0 : folder.file($0) }
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

  @Test(arguments: ["forecast", "calibrate"])
  func `help has an example`(command: String) {
    let console = RecordingConsole()
    #expect(Storebench.run([command, "--help"], on: console.console) == .done)
    #expect(console.output.contains("EXAMPLE: storebench \(command)"))
  }
}
