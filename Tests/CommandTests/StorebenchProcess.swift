import Foundation
import TestSupport

@testable import Runner
@testable import StoreBenchCommand

/// Runs the program in a separate process, as a user does.
struct StorebenchProcess {
  /// The output, error output and exit status of the program.
  struct Ending {
    let status: Int32
    let output: String
    let errors: String
  }

  /// The folder in which the program runs.
  let folder: TemporaryFolder

  /// Makes a folder with a recipe of 300 tasks and workload files that use it.
  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      identifier: "1"
      entities:
        Task:
          attributes:
            title: string
            isDone: { type: boolean, optional: false, default: false }
      """,
      to: "Workloads/models/v1.yaml"
    )
    try writeRecipe(model: "models/v1.yaml", tasks: 300)
    try writeFetch("strategy: [eager, batched], batchSize: 20", trials: 2, to: "fetch")
  }

  /// Writes a second version of the model, whose tasks have another text attribute.
  func writeSecondModel(adding name: String) throws {
    try folder.write(
      """
      identifier: "2"
      entities:
        Task:
          attributes:
            title: string
            isDone: { type: boolean, optional: false, default: false }
            \(name): string
      """,
      to: "Workloads/models/v2.yaml"
    )
  }

  /// Writes a recipe of a store with `tasks` tasks of a model.
  func writeRecipe(model: String, tasks: Int) throws {
    try folder.write(
      "format: 1\nmodel: \(model)\nseed: 5\nentities:\n  Task: { count: \(tasks) }",
      to: "Workloads/recipes/tasks.yaml"
    )
  }

  /// Writes a workload file that fetches the tasks of the recipe.
  func writeFetch(
    _ parameters: String,
    trials: Int? = nil,
    comment: String? = nil,
    to name: String
  ) throws {
    let lines = [
      comment.map { "# \($0)" },
      "kind: fetch",
      "store: { recipe: recipes/tasks.yaml }",
      "parameters: { \(parameters) }",
      trials.map { "trials: { trials: \($0) }" },
    ]
    let text = lines.compactMap { $0 }.joined(separator: "\n")
    try folder.write(text, to: "Workloads/\(name).yaml")
  }

  /// A running process whose output goes to files.
  ///
  /// Foundation's `Process` is not used: if two processes are started at the same time, it can
  /// report the end of one for the other.
  struct Running {
    let child: ChildProcess
    let output: String
    let errors: String

    /// Waits until the process exits; kills it after two minutes.
    func wait() throws -> Ending {
      var (ending, waits) = (child.poll(), 0)
      while ending == nil {
        usleep(10_000)
        waits += 1
        if waits == 12_000 { child.killGroup() }
        ending = child.poll()
      }
      let status: Int32 =
        switch ending {
        case .exit(let status): status
        case .signal(let signal): -signal
        case nil: 0
        }
      return try Ending(
        status: status,
        output: String(contentsOfFile: output, encoding: .utf8),
        errors: String(contentsOfFile: errors, encoding: .utf8)
      )
    }
  }

  /// Starts the program, or the executable `program`; the caller waits until it exits.
  ///
  /// With `fileBlocks`, files are limited to that many blocks of 512 bytes, as on a full disk.
  func start(
    _ arguments: [String],
    environment: [String: String] = [:],
    fileBlocks: Int? = nil,
    program other: String? = nil
  ) throws -> Running {
    let program = try other ?? Self.program()
    let id = UUID().uuidString
    let (output, errors) = (folder.path + "/.said/\(id).out", folder.path + "/.said/\(id).err")
    // Create the output files first, because a process that is killed at once creates none.
    for kind in ["out", "err"] { try folder.write("", to: ".said/\(id).\(kind)") }
    let limit = fileBlocks.map { "ulimit -f \($0) && " } ?? ""
    let script = "cd \"$1\" && \(limit)exec >\"$2\" 2>\"$3\" </dev/null && shift 3 && exec \"$@\""
    // Hide the program's own repository from git: finding its commit would take too long.
    let own = ["GIT_CEILING_DIRECTORIES": try Self.buildFolder()]
    let child = try ChildProcess(
      executable: "/bin/sh",
      arguments: ["-c", script, "sh", folder.path, output, errors, program] + arguments,
      environment: ProcessInfo.processInfo.environment.merging(own) { $1 }
        .merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
    )
    try child.ask(Data())
    return Running(child: child, output: output, errors: errors)
  }

  /// The path of the program.
  static func program() throws -> String {
    URL(fileURLWithPath: try Executable.path()).deletingLastPathComponent()
      .appendingPathComponent("storebench").path
  }

  /// The folder above the program's folder.
  private static func buildFolder() throws -> String {
    URL(fileURLWithPath: try program()).deletingLastPathComponent().deletingLastPathComponent().path
  }

  /// Runs the program and waits until it exits.
  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Ending {
    try start(arguments, environment: environment).wait()
  }

  /// Waits up to 30 s until a run has copied its first store.
  func waitForCopies() {
    for _ in 0..<600 where files(below: ".storebench/work").count < 3 { usleep(50_000) }
  }

  /// Returns the files below a folder, without the stored output of the program.
  func files(below name: String = "") -> [String] {
    let names = FileManager.default.subpaths(atPath: folder.path + "/" + name) ?? []
    return names.filter { !$0.hasPrefix(".said") }.sorted()
  }
}
