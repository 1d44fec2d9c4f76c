import ArgumentParser
import Basics
import DataModel
import Foundation
import Generators
import Inspector
import PersistentStore
import Reporting
import Runner
import SQLLog
import WorkloadKinds

struct GrowthBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "growth",
    abstract: "Measure how StoreBench's own times grow from 1,000 to 10 million objects.",
    discussion: """
      Generates stores of tasks, copies their objects into new stores, fetches all tasks in batches, \
      migrates, inspects, and analyzes logs with as many statements as the stores have objects. \
      Writes each time as a line of a CSV file, and a chart. The largest size is measured once. \
      Needs 12 GB of free disk space.

      EXAMPLE: bench growth
      EXAMPLE: bench growth --sizes 1000 10000 --output /tmp/growth.csv --chart /tmp/growth.svg
      """
  )

  @Option(parsing: .upToNextOption, help: "Numbers of objects, in rising order.")
  var sizes = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]

  @Option(help: "Number of times that each size but the largest is measured.")
  var rounds = 3

  @Option(help: "The most objects to copy into a new store, which is the slowest work.")
  var mostCopied = 1_000_000

  @Option(help: "Folder for stores and logs.")
  var folder = FileManager.default.temporaryDirectory.path

  @Option(help: "CSV file to write.")
  var output = "Evidence/Results/speed/growth.csv"

  @Option(help: "Chart to write.")
  var chart = "Evidence/docs/growth.svg"

  private enum Work: String, CaseIterable {
    case generation
    case copy
    case fetch
    case migration
    case inspection = "inspect"
    case analysis = "analyze"
  }

  /// The mean number of objects per task in `tasks.yaml`: the task, its tags, subtasks and
  /// attachments, and part of a project.
  private static let objectsPerTask = 3.467
  private static let batchSize = 100
  private static let apps: Range<UInt64> = 0..<24

  func validate() throws {
    guard sizes.count > 1, sizes == sizes.sorted(), sizes[0] >= 100, rounds > 0 else {
      throw ValidationError("'--sizes' must be at least two rising numbers of 100 or more")
    }
  }

  func run() throws {
    let folder = try BenchFolder(in: folder)
    let start = ISO8601DateFormatter().string(from: Date())
    let environment = EnvironmentProbe.read(
      workFolder: folder.path,
      codeFolder: ".",
      startedAt: start
    )
    let remarks = "\"\(environment.machine)\",\(start.prefix(10)),\(environment.commit)"
    var lines = ["work,size,round,seconds,machine,date,commit"]
    var times: [Work: [Int: [Double]]] = [:]
    let sample = try Self.sample(in: folder)
    for size in sizes {
      // Small sizes have an extra, unrecorded round 0 that warms up the code and the page cache.
      for round in (size > 100_000 ? 1 : 0)...(size == sizes.last ? 1 : rounds) {
        for (work, seconds) in try measure(size, sample, folder) where round > 0 {
          times[work, default: [:]][size, default: []].append(seconds)
          lines.append("\(work.rawValue),\(size),\(round),\(seconds),\(remarks)")
        }
      }
      try AtomicFile.write(lines.joined(separator: "\n") + "\n", to: output)
      printProgress("measured \(size.grouped) objects")
    }
    show(times)
    try AtomicFile.write(figure(times).svg, to: chart)
  }

  // MARK: Work

  private func measure(
    _ size: Int,
    _ sample: String,
    _ folder: BenchFolder
  ) throws -> [(Work, Double)] {
    var times: [(Work, Double)] = []
    func time(_ work: Work, _ body: () throws -> Void) throws {
      times.append((work, try Stopwatch.seconds(body)))
    }
    let recipe = try Recipe.tasks(Int(Double(size) / Self.objectsPerTask))
    let store = StoreFile(path: try folder.file("store.sqlite"))
    try time(.generation) {
      _ = try StoreGenerator(recipe, writer: BulkStoreWriter(threads: 2)).generate(at: store.path)
    }
    try time(.fetch) { try fetch(from: store) }
    try time(.inspection) { _ = try StoreSurveyor(store).survey() }
    if size <= mostCopied {
      times.append((.copy, try migrate(store, "sideBySide", folder)))
    }
    let copies = folder.path + "/copies"
    try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
    let migrated = try StoreCopier.copy(store, into: copies)
    try store.remove()
    times.append((.migration, try migrate(migrated, "lightweight", folder)))
    try migrated.remove()
    let log = try folder.file("app.log")
    try AnalyzeBench.write(size * 363, of: sample, to: log)
    var statements = 0
    let seconds = try Stopwatch.seconds {
      statements = try LogAnalysis(of: [log]).report.statements
    }
    // Scale the time to the requested number of statements, because the log was cut by bytes.
    times.append((.analysis, seconds * Double(size) / Double(max(statements, 1))))
    try FileManager.default.removeItem(atPath: log)
    return times
  }

  private func fetch(from file: StoreFile) throws {
    let store = try PersistentStore.open(file)
    let context = try ObjectContext(store: store)
    let tasks = try context.fetch(FetchRequest("Task", fetchBatchSize: Self.batchSize))
    for place in 0..<tasks.count { _ = try tasks.object(at: place).isFault }
  }

  private func migrate(
    _ store: StoreFile,
    _ strategy: String,
    _ folder: BenchFolder
  ) throws -> Double {
    let (seconds, left) = try MigrationWorkload.run(
      ["strategy": .text(strategy), "to": .text("models/tasks/v2.yaml")],
      on: store,
      in: folder
    )
    if left.path != store.path { try left.remove() }
    return seconds
  }

  /// Returns the joined logs of generated apps, except logs that list all fetched objects and are
  /// too large.
  private static func sample(in folder: BenchFolder) throws -> String {
    let path = try folder.file("sample.log")
    var bytes = Data()
    for seed in apps {
      let app = try PlantedApp(seed: seed, fault: nil)
      if app.level < 3 { bytes += try Data(contentsOf: URL(fileURLWithPath: app.logPath)) }
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    return path
  }

  // MARK: Report

  private func show(_ times: [Work: [Int: [Double]]]) {
    let columns = sizes.map { TextTable.Column.right($0.grouped, 10) }
    let table = TextTable(
      [.left("", 11)] + columns + [
        .right("grows", 8), .right("95 % interval", 14), .right("at the end", 11),
      ],
      overflow: .widen
    )
    print(table.header)
    for work in Work.allCases {
      let own = times[work] ?? [:]
      let measured = sizes.filter { own[$0] != nil }
      let values = measured.map { own[$0] ?? [] }
      let power = GrowthPower(sizes: measured.map(Double.init), values: values)
      let last = GrowthPower(
        sizes: measured.suffix(2).map(Double.init),
        values: Array(values.suffix(2))
      )
      func fixed(_ number: Double) -> String { Figures.fixed(number, decimals: 2) }
      let cells = sizes.map { size in own[size].map { Figures.seconds($0.median) } ?? "–" }
      let interval = power.flatMap { power in
        power.reach.map { "\(fixed(power.exponent - $0)) to \(fixed(power.exponent + $0))" }
      }
      print(
        table.line(
          [work.rawValue] + cells + [
            power.map { "n^\(fixed($0.exponent))" } ?? "–", interval ?? "–",
            last.map { "n^\(fixed($0.exponent))" } ?? "–",
          ]
        )
      )
    }
    print(
      """

      Medians. Grows: the power of the size that fits best over all sizes, with its interval from the \
      variation of the rounds; at the end: over the two largest sizes.
      """
    )
  }

  private func figure(_ times: [Work: [Int: [Double]]]) -> Report.Figure {
    let lines = Work.allCases.enumerated().compactMap { index, work -> LineChart.Line? in
      let points = (times[work] ?? [:]).sorted { $0.key < $1.key }.map { size, seconds in
        LineChart.Point(x: Double(size), y: seconds.median)
      }
      return points.count > 1
        ? .init(label: work.rawValue, series: index + 1, points: points) : nil
    }
    let chart = LineChart(
      title: "Time of StoreBench's own work by the number of objects",
      lines: lines,
      horizontal: .count,
      vertical: .seconds,
      axisTitle: "objects; of analyze, statements",
      isLogarithmic: true,
      width: 640
    )
    return Report.Figure("Time by the number of objects", remark: "log scale", chart)
  }
}
