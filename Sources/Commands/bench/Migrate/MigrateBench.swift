import ArgumentParser
import Foundation

/// Copies tasks with all that hangs on them into a new store: `make bench-migrate`.
struct MigrateBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Objects migrated side by side a second, beside a plain loop over GRDB.",
    discussion: "Example: bench migrate 100000 --rounds 5"
  )

  @Argument(help: "Tasks of each store; other objects come with them.")
  var tasks = [100_000, 1_000_000]

  @Option(help: "Copies each way makes, in turns.")
  var rounds = 3

  @Option(help: "Where the stores are made: a disk with room for the largest one three times.")
  var folder = FileManager.default.temporaryDirectory.path

  func validate() throws {
    guard rounds > 0, tasks.allSatisfy({ $0 > 0 }) else {
      throw ValidationError("tasks and rounds are numbers above 0")
    }
  }

  func run() throws {
    let table = BenchTable()
    table.print(
      """
      Tasks of the recipe tasks.yaml, with what hangs on them, copied into a new store
      of the next version of their model, 1,000 objects a save. Medians of \(rounds)
      copies in turns; every way ends in the same objects, by digest.
      """
    )
    for tasks in tasks {
      let race = try CopyRace(BenchFolder(in: folder), tasks: tasks, rounds: rounds)
      table.print(
        try race.results(),
        of: "\(tasks) tasks, \(race.objects) objects"
      )
    }
  }
}
