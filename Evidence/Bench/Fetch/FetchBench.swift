import ArgumentParser
import Foundation
import Generators
import PersistentStore
import Runner
import WorkloadKinds

struct FetchBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: """
      Measure objects fetched, generated and migrated per second, next to reference programs.
      """,
    discussion: """
      Compares fetches by the object context with GRDB's records and with a plain loop over \
      SQLite's C API. They take turns of a few milliseconds, so other work of the machine slows \
      down all of them alike. '--only' runs one of them alone, for a profiler.

      EXAMPLE: bench fetch
      EXAMPLE: bench fetch --tasks 5000 --only 'GRDB records'
      """
  )

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let rounds = 51
  private static let slowRounds = 7
  private static let generatedTasks = 20_000
  private static let migratedTasks = [10_000, 100_000]

  @Option(help: "Number of tasks in the store.")
  var tasks = 5000

  @Option(help: "Run only this line of the table, by name, and print nothing.")
  var only: String?

  func validate() throws {
    guard tasks > 0 else { throw ValidationError("'--tasks \(tasks)' must be above 0") }
  }

  func run() throws {
    let folder = try BenchFolder()
    let fetches = try FetchRace(folder, tasks: tasks).races(rounds: Self.rounds)
    if let only {
      let contestants = fetches.flatMap(\.contestants)
      guard let contestant = contestants.first(where: { $0.name == only }) else {
        let names = contestants.map { "'\($0.name)'" }.joined(separator: ", ")
        throw ValidationError("unknown line '\(only)'; available: \(names)")
      }
      for _ in 0..<Self.rounds { _ = try contestant.measure() }
      return
    }
    print(
      """
      \(tasks) tasks of the recipe tasks.yaml, fetched \(Self.rounds) times by each line in turn; \
      medians.
      The spread is the distance between the quartiles.
      """
    )
    for race in fetches { try race.print() }
    print("\nRatios are to the first line of their section.")
    print("The aim: at least as fast as GRDB's records, and 0.8 times the plain loop.")
    try generate(in: folder)
    for count in Self.migratedTasks { try migrate(count, in: folder) }
  }

  private func generate(in folder: BenchFolder) throws {
    let recipe = try Recipe.tasks(Self.generatedTasks)
    try Race(
      title: "objects generated (all entities)",
      rounds: Self.slowRounds,
      contestants: [
        .init("store of \(Self.generatedTasks) tasks") {
          try StoreGenerator(recipe).generate(at: folder.file("generated.sqlite")).objectCount
        }
      ]
    ).print()
  }

  // MARK: Migrating

  private func migrate(_ tasks: Int, in folder: BenchFolder) throws {
    let original = StoreFile(path: try folder.file("v1.sqlite"))
    try StoreGenerator(try .tasks(tasks)).generate(at: original.path)
    Race.print(
      title: "\(tasks) tasks migrated, lightweight",
      seconds: try (0..<Self.slowRounds).map { _ in try migrationSeconds(original, folder) }
    )
  }

  private func migrationSeconds(_ original: StoreFile, _ folder: BenchFolder) throws -> Double {
    let store = StoreFile(path: try folder.file("migrated.sqlite"))
    for (source, target) in zip(original.paths, store.paths)
    where FileManager.default.fileExists(atPath: source) {
      try FileManager.default.copyItem(atPath: source, toPath: target)
    }
    let kinds = WorkloadCatalog.kinds.filter { $0.name == "migration" }
    let defaults = kinds.flatMap { $0.axes.map { ($0.name, $0.defaultValue) } }
    // Set the target model, because only a planned run gets a default.
    let parameters = defaults + [("to", .text("models/tasks/v2.yaml"))]
    let response = try InProcessExecutor(kinds: kinds).execute(
      TrialRequest(
        kind: "migration",
        parameters: ParameterValues(Dictionary(parameters) { $1 }),
        trial: Trial(
          store: store,
          start: original,
          original: original,
          folder: folder.path,
          workloadsFolder: "Workloads"
        )
      ),
      within: TrialLimits()
    )
    let time = response.iterations.first?.first { $0.name == "wallClock" }
    guard let time else { throw Failure(description: "no migration: \(response.outcome)") }
    return time.value
  }
}
