import Basics
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests separate processes that are killed or have a full disk.
struct KillProcessTests {
  private let program: StorebenchProcess

  init() throws {
    program = try StorebenchProcess()
    try program.writeSecondModel(adding: "notes")
    try write(
      "strategy: [lightweight, sideBySide, gradual], check: counts, swap: true",
      "backup: copy"
    )
  }

  private func write(_ parameters: String...) throws {
    try program.folder.write(
      """
      kind: migration
      store: { recipe: recipes/tasks.yaml, objects: { Task: 20 } }
      parameters: { to: models/v2.yaml, \(parameters.joined(separator: ", ")) }
      """,
      to: "Workloads/kills.yaml"
    )
  }

  @Test func `loses nothing, wherever it is killed`() throws {
    let ending = try program.run([
      "crash-test", "Workloads/kills.yaml", "--kills", "18", "--seed", "3",
    ])
    #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    #expect(
      ending.output.hasPrefix("18 kills in 3 cases, seed 3: 0 objects lost, 0 doubled, 0 failed\n")
    )
    for word in ["commit", "marker", "SIGKILL", "loss of power"] {
      #expect(ending.output.contains("\n  \(word) "), "\(word)")
    }
    #expect(ending.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    // The crash test may leave only the cached store.
    #expect(program.files(below: "Results") == [])
    #expect(program.files(below: ".storebench/work") == [])
  }

  private func writeSaves() throws {
    try program.folder.write(
      """
      kind: save
      store: { recipe: recipes/tasks.yaml, objects: { Task: 20 } }
      parameters: { operation: mixed, objectsPerSave: 10, saves: 3, stored: 20, history: true }
      """,
      to: "Workloads/saves/saves.yaml"
    )
    try program.folder.write(
      """
      kind: import
      store: { recipe: recipes/tasks.yaml, objects: { Task: 20 } }
      parameters: { records: 20, present: 0.5, chunk: 5, engine: bareSQL, durability: commit }
      """,
      to: "Workloads/saves/imports.yaml"
    )
  }

  @Test func `other kinds keep whole saves, wherever they are killed`() throws {
    try writeSaves()
    let ending = try program.run(["crash-test", "Workloads/saves", "--kills", "8"])
    #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    #expect(ending.output.hasPrefix("8 kills in 2 cases, seed 1: 0 objects lost"))
    #expect(ending.output.contains("\n  loss of power "))
  }

  @Test func `fuzz: other kinds keep whole saves on a full disk, and say what to free`() throws {
    try writeSaves()
    let kills = FuzzSeeds.isThorough ? "8" : "4"
    let ending = try program.run(["crash-test", "Workloads/saves", "--kills", kills, "--full-disk"])
    #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains("\n  full disk "))
    #expect(!ending.output.contains("\n  SIGKILL "))
  }

  @Test func `no launch of other kinds goes on after a watchdog`() throws {
    try writeSaves()
    let ending = try program.run([
      "crash-test", "Workloads/saves", "--watchdog", "1s", "--allow-debug",
    ])
    #expect(ending.status == 64)
    #expect(ending.errors.contains("such as migrations: 'import' does not"))
  }

  @Test func `fuzz: loses no save of a session`() throws {
    try program.folder.write(
      """
      kind: session
      store: { recipe: recipes/tasks.yaml, objects: { Task: 20 } }
      parameters: { actions: [launch, edit: 3, edit: 4, background] }
      """,
      to: "Workloads/session.yaml"
    )
    let kills = FuzzSeeds.isThorough ? "6" : "3"
    let ending = try program.run([
      "crash-test", "Workloads/session.yaml", "--kills", kills, "--seed", "3",
    ])
    #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    let start = "\(kills) kills in 1 case, seed 3: 0 objects lost, 0 doubled, 0 failed\n"
    #expect(ending.output.hasPrefix(start))
  }

  @Test func `repeats one kill`() throws {
    let ending = try program.run([
      "crash-test", "Workloads/kills.yaml", "--filter", "*gradual*", "--at", "write:9:5",
    ])
    #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    #expect(ending.output.hasPrefix("1 kill in 1 case"))
  }

  @Test func `a kill that is never reached is a failure`() throws {
    let ending = try program.run([
      "crash-test", "Workloads/kills.yaml", "--filter", "*lightweight*", "--at", "rename:900",
    ])
    #expect(ending.status == 1)
    #expect(ending.output.contains("rename:900: the launch ended before it reached rename:900"))
    #expect(ending.output.contains("--at rename:900"))
  }

  @Test func `names what a watchdog never lets come to its end`() throws {
    try write("strategy: lightweight")
    let ending = try program.run([
      "crash-test", "Workloads/kills.yaml", "--watchdog", "0.001s", "--allow-debug",
    ])
    #expect(ending.status == 1, "\(ending.errors)")
    let words = ending.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("never finishes above"))
    #expect(words.contains("objects: 6 launches made no lasting progress"))
    #expect(ending.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test(arguments: [
    (["--kills", "0"], 64, "'--kills' must be from 1 to 1000000, not 0"),
    (["--at", "wrote:1"], 64, "'--at' must be a point such as write:17, write:17:4711 or"),
    (["--at", "write:1", "--full-disk"], 64, "'--full-disk' is for '--kills'"),
    (["--kills", "5", "--watchdog", "2s"], 64, "exclude each other: use one of them"),
    (["--kills", "5", "--output", "out"], 64, "Unknown option '--output'"),
    (["--at", "write:1", "--seed", "2"], 64, "'--seed' is for '--kills'"),
    (["--kills", "5", "--allow-debug"], 64, "'--allow-debug' needs '--watchdog'"),
    (["--watchdog", "2 minutes"], 64, "'--watchdog' must be a time such as 20s"),
    (["--watchdog", "2s"], 64, "times of a debug build"),
  ])
  func `refuses what cannot be meant`(options: [String], status: Int32, words: String) {
    let console = RecordingConsole()
    let file = program.folder.file("Workloads/kills.yaml")
    let ending = Storebench.run(["crash-test", file] + options, on: console.console)
    #expect(ending.code == status && console.errors.contains(words), "\(console.errors)")
  }

  @Test func `has nothing to kill where nothing is written`() throws {
    let ending = try program.run(["crash-test", "Workloads/fetch.yaml", "--kills", "5"])
    #expect(ending.status == 64)
    #expect(ending.errors.contains("'crash-test' is for cases that change a store"))
  }
}
