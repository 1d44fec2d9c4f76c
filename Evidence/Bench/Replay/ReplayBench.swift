import ArgumentParser
import Basics
import Compare
import Foundation
import PersistentStore
import Runner
import SQLLog
import WorkloadKinds

struct ReplayBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Measure the errors of replays on larger stores, next to the workload itself.",
    discussion: """
      Ten workloads are logged on a small store. At ten times the logged size, replay and workload \
      run alternately. The logs are kept in a folder.

      EXAMPLE: bench replay --only batches --turns 5
      """
  )

  @Option(help: "Folder in which logs are kept between runs.")
  var folder = "Evidence/Results/forecast/replays"

  @Option(help: "Folder for the tables, as CSV files.")
  var output = "Evidence/Results/forecast"

  @Option(help: "The storebench program that measures.")
  var program = ".build/release/storebench"

  @Option(help: "Pairs of replay and workload at ten times the logged size.")
  var turns = 9

  @Option(help: "Only cases whose name contains this.")
  var only = ""

  @Option(help: "The other load of the machine, as text for the tables.")
  var load = "unknown"

  func validate() throws {
    guard turns >= 6 else { throw ValidationError("'--turns' must be at least 6") }
    guard !load.contains(",") else {
      throw ValidationError("'--load' must not contain a comma: it is a column of the tables")
    }
  }

  func run() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let work = try BenchFolder()
    let scratch = try ScratchFolder(in: work.path)
    let runner = ReplayBenchRunner(
      folder: work.path,
      executor: WorkerProcess(executable: program),
      scratch: scratch,
      stores: StoreLibrary(cacheFolder: work.path + "/stores"),
      environment: EnvironmentProbe.read(
        workFolder: scratch.path,
        codeFolder: ".",
        startedAt: Date.now.formatted(.iso8601)
      )
    )
    let cases = ReplayBenchCase.all.filter { only.isEmpty || $0.name.contains(only) }
    var logs: [String] = []
    for benchCase in cases { logs.append(try log(of: benchCase, runner)) }
    try compareTenfold(cases, logs, runner)
  }

  private func log(of benchCase: ReplayBenchCase, _ runner: ReplayBenchRunner) throws -> String {
    let path = URL(fileURLWithPath: benchCase.logPath(in: folder)).path
    guard !FileManager.default.fileExists(atPath: path) else { return path }
    let file = try benchCase.writeWorkload(tasks: ReplayBenchCase.tasks, in: runner.folder)
    let fresh = runner.folder + "/log"
    try? FileManager.default.removeItem(atPath: fresh)
    _ = try runner.run(file, log: fresh)
    try FileManager.default.moveItem(atPath: fresh, toPath: path)
    return path
  }

  // MARK: Ten times the size

  private func compareTenfold(
    _ cases: [ReplayBenchCase],
    _ logs: [String],
    _ runner: ReplayBenchRunner
  ) throws {
    let tasks = ReplayBenchCase.tasks * 10
    print("\nReplays at ten times the logged size and the workload itself, load: \(load)")
    var lines = [
      "case,workloadSeconds,replaySeconds,error,low,high,statementsError,stepsError,pagesError,"
        + "turns,load"
    ]
    for (benchCase, log) in zip(cases, logs) where benchCase.growsAsReplayed {
      let files = [
        try benchCase.writeWorkload(tasks: tasks, in: runner.folder),
        try benchCase.writeReplay(of: log, tasks: tasks, in: runner.folder),
      ]
      var taken: [[[String: Double]]] = [[], []]
      for turn in 0...turns {
        // The sides take turns to go first; turn 0 only warms up.
        for side in turn.isMultiple(of: 2) ? [0, 1] : [1, 0] {
          let values = try runner.run(files[side])
          if turn > 0 { taken[side].append(values) }
        }
      }
      func times(_ side: Int) -> [Double] { taken[side].compactMap { $0[Metric.wallClock.name] } }
      func error(_ metric: String) -> Double {
        let values = taken.compactMap { $0.first?[metric] }
        return values.count == 2 && values[0] > 0 ? values[1] / values[0] - 1 : 0
      }
      let ratios = zip(times(0), times(1)).map { $1 / $0 - 1 }
      guard let found = ReplayReport.Saving(ratios) else { continue }
      let statements =
        (taken[1].first?["replay.statements"] ?? 0) / (taken[0].first?["sqlite.statementsRun"] ?? 1)
        - 1
      let counters = [statements, error("sqlite.vmSteps"), error("sqlite.cacheMisses")]
      print(
        "  \(benchCase.name): workload \(Figures.seconds(times(0).median)), replay "
          + "\(Figures.seconds(times(1).median)), error \(Figures.percent(found.median)) "
          + "(\(Figures.percent(found.low)) to \(Figures.percent(found.high))); statements, steps, "
          + "pages off by " + counters.map { Figures.percent($0) }.joined(separator: ", ")
      )
      lines.append(
        ([benchCase.name]
          + ([times(0).median, times(1).median, found.median, found.low, found.high] + counters)
          .map { Figures.plain($0, decimals: 6) } + ["\(ratios.count)", load])
          .joined(separator: ",")
      )
    }
    try write(lines, to: "tenfold.csv")
  }

  private func write(_ lines: [String], to name: String) throws {
    try AtomicFile.write(lines.joined(separator: "\n") + "\n", to: output + "/" + name)
  }

  private static var loadAverage: String {
    let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
    return text?.split(separator: " ").first.map(String.init) ?? "unknown"
  }
}
