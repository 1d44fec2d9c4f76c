import Basics
import Runner
import TestSupport

@testable import StoreBenchCommand

struct StoredResults {
  typealias Ending = (status: CommandStatus, output: String, errors: String)

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Writes a result and returns the path of its run's folder.
  func write(
    _ name: String,
    steps: Double = 100,
    syncs: Double = 2,
    seconds: Double = 1,
    change: (inout ResultDocument) -> Void = { _ in }
  ) throws -> String {
    var environment = Environment.example
    environment.startedAt = name
    var document = ResultDocument(
      environment: environment,
      workloads: [CompareFixture.workload(steps: steps, syncs: syncs, seconds: seconds)]
    )
    change(&document)
    try folder.write("", to: name + "/.made")
    let path = folder.path + "/" + name
    try RunFolder(path: path).write(document)
    return path
  }

  func run(_ arguments: [String]) -> Ending {
    let console = RecordingConsole()
    let status = Storebench.run(arguments, on: console.console)
    return (status, console.output, console.errors)
  }
}
