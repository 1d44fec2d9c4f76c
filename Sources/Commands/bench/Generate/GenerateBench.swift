import ArgumentParser
import Foundation
import PersistentStore

/// Compares the bulk writer with a plain loader: `make bench-generate`.
struct GenerateBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Rows a second of the bulk writer and of a plain loader of the same rows.",
    subcommands: [BulkRun.self]
  )

  @Option(help: "The recipe of the store that both sides make.")
  var recipe = "Workloads/recipes/tiers/1M.yaml"

  @Option(help: "The recipe ten times as large.")
  var large = "Workloads/recipes/tiers/10M.yaml"

  @Option(help: "Alternated pairs.")
  var rounds = 7

  @Option(help: "Alternated pairs with sync.")
  var syncRounds = 3

  @Option(help: "Where the stores are made: a disk with room for the large one twice.")
  var folder = FileManager.default.temporaryDirectory.path

  func run() throws {
    let folder = try BenchFolder(in: folder)
    let sample = try folder.file("sample.sqlite")
    _ = try BulkRun.start(recipe, to: sample, threads: 2)
    let race = LoadingRace(
      recipe: recipe,
      rows: try MemoryRows(store: sample),
      bytes: StoreFile(path: sample).bytes,
      folder: folder
    )
    let table = GenerateTable(race: race)
    table.printHeadline(rounds: rounds)
    let results = try race.run(rounds: rounds, syncs: false)
    table.print(results)
    table.print(imported: try race.importSeconds(), loader: results.loader.median)
    table.printSynced(try race.run(rounds: syncRounds, syncs: true))
    table.print(scaling: results)
    table.print(copy: try copySeconds(sample, folder), bulk: results.twoThreads.median)
    let path = try folder.file("large.sqlite")
    let report = try BulkRun.start(large, to: path, threads: 2)
    table.print(large: report, than: results, bytes: StoreFile(path: path).bytes)
  }

  /// How long `cp` takes for the same file.
  private func copySeconds(_ source: String, _ folder: BenchFolder) throws -> Double {
    var seconds: [Double] = []
    for _ in 0..<rounds {
      let target = try folder.file("copy.sqlite")
      let copy = Process()
      copy.executableURL = URL(fileURLWithPath: "/bin/cp")
      copy.arguments = ["--reflink=never", source, target]
      seconds.append(
        try Stopwatch.seconds {
          try copy.run()
          copy.waitUntilExit()
        }
      )
    }
    return seconds.median
  }
}
