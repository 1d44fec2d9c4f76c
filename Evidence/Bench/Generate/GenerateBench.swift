import ArgumentParser
import Basics
import Foundation
import Generators
import PersistentStore

struct GenerateBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: """
      Measure the rows per second of the bulk writer and of a plain loader of the same rows.
      """,
    discussion: """
      The writer (with one and with two threads) and the loader take turns, without and with sync. \
      Then 'sqlite3 .import', 'cp' and a store ten times as large are measured.

      EXAMPLE: bench generate --rounds 3 --folder /mnt/disk
      """,
    subcommands: [BulkRun.self]
  )

  @Option(help: "Recipe of the store that writer and loader make.")
  var recipe = "Workloads/recipes/tiers/1M.yaml"

  @Option(help: "Recipe of the store that is ten times as large.")
  var large = "Workloads/recipes/tiers/10M.yaml"

  @Option(help: "Alternated pairs.")
  var rounds = 7

  @Option(help: "Number of alternating pairs with sync.")
  var syncRounds = 3

  @Option(help: "Folder for the stores. Its disk needs free space for twice the largest store.")
  var folder = FileManager.default.temporaryDirectory.path

  private static let table = TextTable(
    [.left("", 38), .right("", 9), .right("", 6), .right("", 7), .right("", 14)],
    overflow: .widen
  )

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
    print(
      """
      \(recipe): \(race.rows.rowCount) rows of all tables, \(race.bytes >> 20) MB.
      Medians of \(rounds) alternating rounds; in brackets the smallest and the largest
      ratio of a round.

      \(Self.table.line(["", "rows/s", "MB/s", "ratio", ""]))
      """
    )
    let results = try race.run(rounds: rounds, syncs: false)
    let (two, one, loader) = (results.twoThreads, results.oneThread, results.loader)
    printRates("bulk writer, 2 threads", two.seconds, two.ratios, race)
    printRates("bulk writer, 1 thread", one.seconds, one.ratios, race)
    printRates("plain loader, \(results.cachePages) pages of cache", loader.seconds, [], race)
    if let seconds = try race.importSeconds() {
      printRates("sqlite3 .import", [seconds], [loader.seconds.median / seconds], race)
      if seconds < loader.seconds.median {
        print(
          "  the plain loader is slower than this import, so it is no fair reference: ignore "
            + "its ratios"
        )
      }
    } else {
      print("  sqlite3 is not installed, so the plain loader cannot be checked: ignore its ratios")
    }
    let synced = try race.run(rounds: syncRounds, syncs: true)
    let bulk = synced.twoThreads
    printRates("with sync: bulk writer, 2 threads", bulk.seconds, bulk.ratios, race)
    printRates("with sync: plain loader", synced.loader.seconds, [], race)
    let (ceiling, speedup) = (results.ceilings.median, results.speedups.median)
    print("")
    printFacts([
      (
        "two threads over one",
        String(format: "%.2f, %.2f of the machine's %.2f", speedup, speedup / ceiling, ceiling)
      ),
      (
        "time to write over time of cp",
        Figures.plain(two.seconds.median / (try copySeconds(sample, folder)), decimals: 2)
      ),
    ])
    let path = try folder.file("large.sqlite")
    let report = try BulkRun.start(large, to: path, threads: 2)
    let ratio = report.seconds / two.seconds.median
    printFacts([
      ("ten times as many tasks", String(format: "%.1f s, %.1f times", report.seconds, ratio)),
      ("its file", "\(StoreFile(path: path).bytes >> 20) MB"),
      (
        "peak memory, and with ten times as many tasks",
        "\(results.peakBytes >> 20) MB, \(report.peakBytes >> 20) MB"
      ),
    ])
  }

  private func printRates(
    _ name: String,
    _ seconds: [Double],
    _ ratios: [Double],
    _ race: LoadingRace
  ) {
    let bounds = [ratios.min(), ratios.max()].map { Figures.plain($0 ?? 0, decimals: 2) }
    let cells = [
      "  " + name, String(Int(Double(race.rows.rowCount) / seconds.median)),
      String(Int(Double(race.bytes) / seconds.median) >> 20),
      ratios.isEmpty ? "" : Figures.plain(ratios.median, decimals: 2),
      ratios.count > 1 ? "[\(bounds.joined(separator: " "))]" : "",
    ]
    print(Self.table.line(cells))
  }

  private func printFacts(_ facts: [(name: String, text: String)]) {
    for fact in facts { print("  " + fact.name.padded(to: 38) + fact.text) }
  }

  private func copySeconds(_ source: String, _ folder: BenchFolder) throws -> Double {
    try (0..<rounds).map { _ in
      let target = try folder.file("copy.sqlite")
      let copy = Process()
      copy.executableURL = URL(fileURLWithPath: "/bin/cp")
      copy.arguments = ["--reflink=never", source, target]
      return try Stopwatch.seconds {
        try copy.run()
        copy.waitUntilExit()
      }
    }.median
  }

  /// Generates one store in its own process, so that the peak memory is due to the generation
  /// alone.
  struct BulkRun: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "bulk",
      abstract: "Generate one store, and print the time and the peak memory.",
      shouldDisplay: false
    )

    struct Report: Codable {
      let seconds: Double
      let peakBytes: Int64
    }

    @Argument
    var recipe: String

    @Argument
    var output: String

    @Option
    var threads = 1

    @Flag(help: "Include syncing the file in the measured time.")
    var sync = false

    func run() throws {
      let seconds = try Stopwatch.seconds {
        let recipe = try RecipeFile.read(path: recipe, options: RecipeFile.Options())
        try StoreGenerator(recipe, writer: BulkStoreWriter(threads: threads)).generate(at: output)
        if sync { try Self.sync(output) }
      }
      let report = Report(seconds: seconds, peakBytes: Self.peakBytes)
      print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    private static func sync(_ path: String) throws {
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try file.synchronize()
      try file.close()
    }

    private static var peakBytes: Int64 {
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
        Int64($0)
      }
      return (kibibytes ?? 0) * 1_024
    }

    static func start(
      _ recipe: String,
      to output: String,
      threads: Int,
      syncs: Bool = false
    ) throws -> Report {
      let process = Process.bench(
        ["generate", "bulk", recipe, output, "--threads", "\(threads)"] + (syncs ? ["--sync"] : [])
      )
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return try JSONDecoder().decode(Report.self, from: data)
    }
  }
}
