import ArgumentParser
import Foundation
import Generators
import PersistentStore
import Runner

@main
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure StoreBench itself, next to reference programs.",
    discussion: """
      Build with 'EVIDENCE=1 swift build -c release', or use 'make -C Evidence', which does this. Commands that start workers also need a release build of storebench.

      EXAMPLE: bench fetch
      EXAMPLE: bench truth --hours 2
      """,
    subcommands: [
      FetchBench.self, GenerateBench.self, TableBench.self, MigrateBench.self, GrowthBench.self,
      CounterBench.self,
      CountingBench.self, TruthBench.self, ScatterBench.self, ForecastBench.self,
      RegisteredBench.self,
      ElsewhereBench.self, FairnessBench.self, FiguresBench.self, AnalyzeBench.self,
      ListsBench.self,
      ReplayBench.self, ClaimsBench.self, SelftestBench.self, FindingsBench.self, HistoryBench.self,
      RoundsBench.self, DecidedBench.self, PlantedWorker.self,
      SuspicionBench.self,
      HoldMemory.self,
      OtherLoad.Burn.self,
    ]
  )
}

/// A temporary folder that is removed when its `BenchFolder` is deallocated.
final class BenchFolder {
  let path: String

  init(in folder: String = FileManager.default.temporaryDirectory.path) throws {
    // Use a unique name, because several bench folders can exist at the same time.
    let number = "\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString.prefix(8))"
    path = folder + "/storebench-bench-" + number
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Returns the path of a file in the folder, after removing any store at that path.
  func file(_ name: String) throws -> String {
    let path = path + "/" + name
    try StoreFile(path: path).remove()
    return path
  }
}

extension Recipe {
  static func tasks(_ count: Int) throws -> Recipe {
    try RecipeFile.read(
      path: "Workloads/recipes/tasks.yaml",
      options: RecipeFile.Options(objects: ["Task": count])
    )
  }
}

extension Process {
  /// Returns a process that will run this program; the caller starts it.
  static func bench(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL =
      Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = arguments
    return process
  }
}

func printProgress(_ line: String) {
  FileHandle.standardError.write(Data((line + "\n").utf8))
}

extension Trial {
  init(on store: StoreFile, in folder: BenchFolder) {
    self.init(
      store: store,
      start: store,
      original: store,
      folder: folder.path,
      workloadsFolder: "Workloads"
    )
  }
}
