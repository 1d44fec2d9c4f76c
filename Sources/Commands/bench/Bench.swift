import ArgumentParser
import Foundation
import PersistentStore

/// Measures StoreBench on itself: objects generated and fetched a second, the latter beside GRDB's
/// records and a plain loop over SQLite's C API, and how long a migration takes.
///
///     bench                       the table
///     bench 5000 'GRDB records'   one contestant alone, for a profiler
///     bench generate              the bulk writer beside a plain loader
///     bench migrate               tasks copied side by side, beside a plain loop over GRDB
///     bench truth                 how often the live comparison is right
///     bench scatter               how far blocks of equal sides lie apart
///     bench forecast              forecasts held against what larger stores take
///     bench elsewhere             forecasts held against other machines
///     bench hold-memory           a command, in memory that a virtual machine does not give back
///     bench counters              whether the counters of every case repeat
///     bench counting              what counting costs
@main
enum Bench {
  /// Slices of a few milliseconds, which whatever else the machine does falls on alike.
  static let tasks = 5000
  static let rounds = 51

  private static let commands: [any ParsableCommand.Type] = [
    GenerateBench.self, MigrateBench.self, TruthCommand.self, ScatterCommand.self,
    BurnCommand.self, ForecastBench.self, ElsewhereBench.self, CounterBench.self,
    CountingBench.self, HoldMemoryCommand.self,
  ]

  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let command = commands.first(where: { $0.configuration.commandName == arguments.first }) {
      return command.main(Array(arguments.dropFirst()))
    }
    let folder = try BenchFolder()
    let count = arguments.first.flatMap { Int($0) } ?? tasks
    let fetching = try FetchRace(folder, tasks: count)
    if arguments.count > 1 {
      try fetching.run(only: arguments[1], rounds: rounds)
      return
    }
    let table = BenchTable()
    table.print(headline(fetching))
    for race in fetching.races(rounds: rounds) { table.print(try race.results(), of: race.title) }
    table.print(
      aim: "at least GRDB's records, and 0.8 of the plain loop"
    )
    try GenerationRace(folder).print(to: table)
    for count in [10_000, 100_000] {
      try MigrationRace(folder, tasks: count).print(to: table)
    }
  }

  private static func headline(_ race: FetchRace) -> String {
    """
    \(race.tasks) tasks of the recipe tasks.yaml, fetched \(rounds) times in turn: medians.
    The spread is the distance of the quartiles.
    """
  }
}

/// A folder that goes away with the run.
final class BenchFolder {
  let path: String

  init(in folder: String = FileManager.default.temporaryDirectory.path) throws {
    // A bench may have several at a time.
    let number = "\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString.prefix(8))"
    path = folder + "/storebench-bench-" + number
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// A path in the folder, whatever was there removed.
  func file(_ name: String) throws -> String {
    let path = path + "/" + name
    try StoreFile(path: path).remove()
    return path
  }
}
