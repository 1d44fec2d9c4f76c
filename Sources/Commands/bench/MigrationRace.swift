import Foundation
import Generators
import PersistentStore
import Runner
import WorkloadKinds

/// How long it takes to bring a store to the next version of its model, verified each time.
struct MigrationRace {
  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let rounds = 7

  private let folder: BenchFolder
  private let tasks: Int

  init(_ folder: BenchFolder, tasks: Int) {
    self.folder = folder
    self.tasks = tasks
  }

  func print(to table: BenchTable) throws {
    let path = try folder.file("v1.sqlite")
    try StoreGenerator(try BenchRecipe.read(tasks: tasks)).generate(at: path)
    let original = StoreFile(path: path)
    let seconds = try (0..<Self.rounds).map { _ in try migrate(original) }
    table.print(
      title: "\(tasks) tasks migrated, lightweight",
      seconds: seconds
    )
  }

  private func migrate(_ original: StoreFile) throws -> Double {
    let store = StoreFile(path: try folder.file("migrated.sqlite"))
    for (source, target) in zip(original.paths, store.paths)
    where FileManager.default.fileExists(atPath: source) {
      try FileManager.default.copyItem(atPath: source, toPath: target)
    }
    let trial = Trial(
      store: store,
      start: original,
      original: original,
      folder: folder.path,
      workloadsFolder: "Workloads"
    )
    let kinds = WorkloadCatalog.kinds.filter { $0.kind == "migration" }
    let defaults = kinds.flatMap { $0.axes.map { ($0.name, $0.defaultValue) } }
    // No plan is made here, which would find a model to migrate to.
    let parameters = defaults + [("to", .text("models/tasks/v2.yaml"))]
    let response = try InProcessExecutor(kinds: kinds).execute(
      TrialRequest(
        kind: "migration",
        parameters: ParameterValues(Dictionary(parameters) { $1 }),
        trial: trial
      ),
      within: TrialLimits()
    )
    let time = response.iterations.first?.first { $0.name == "wallClock" }
    guard let time else { throw Failure(description: "no migration: \(response.outcome)") }
    return time.value
  }
}
