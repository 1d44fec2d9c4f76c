import ArgumentParser
import Basics
import Compare
import Forecasting
import Foundation
import PersistentStore
import Runner
import SQLLog
import WorkloadKinds

/// Holds forecasts of replays, and replays themselves, against larger stores: `make -C Evidence replay`.
struct ReplayBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: """
      Measure the errors of replay forecasts at 16 times the measured size, and of replays next to \
      the workload itself.
      """,
    discussion: """
      Ten workloads are logged on a small store. Replays on stores of growing size predict the \
      counters on a store 16 times as large as the largest; that replay is then run to check. At \
      ten times the logged size, replay and workload run alternately. Measurements are kept in a \
      folder.

      EXAMPLE: bench replay --top 16000
      EXAMPLE: bench replay --only batches --turns 5
      """
  )

  @Option(help: "Folder in which logs and measurements are kept between runs.")
  var folder = "Evidence/Results/forecast/replays"

  @Option(help: "Folder for the tables, as CSV files.")
  var output = "Evidence/Results/forecast"

  @Option(help: "The storebench program that measures.")
  var program = ".build/release/storebench"

  @Option(help: "Largest measured size in objects.")
  var top = 64_000

  @Option(help: "The predicted size, as a multiple of '--top'; 0 leaves the forecasts out.")
  var times = 16

  @Option(help: "Pairs of replay and workload at ten times the logged size; 0 leaves them out.")
  var turns = 9

  @Option(help: "Only cases whose name contains this.")
  var only = ""

  @Option(help: "The other load of the machine, as text for the tables.")
  var load = "unknown"

  func validate() throws {
    guard top >= 4000, times >= 0, times <= 100, turns == 0 || turns >= 6 else {
      throw ValidationError(
        "'--top' must be at least 4,000, '--times' at most 100, '--turns' 0 or at least 6"
      )
    }
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
    if times > 0 { try judgeForecasts(cases, logs, runner) }
    if turns > 0 { try compareTenfold(cases, logs, runner) }
  }

  /// The log of a case, kept from an earlier run or made now.
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

  // MARK: Forecasts

  /// A counter or the time of one case at the size that was forecast.
  private struct Verdict {
    let name: String
    let metric: String
    let objects: Double
    let predicted: Interval
    let measured: Double
    let isUnseen: Bool
    /// The largest one of the ladder's sizes and of the size that was forecast.
    let divergence: Double

    var error: Double { measured > 0 ? predicted.value / measured - 1 : 0 }
    var isHeld: Bool { predicted.contains(measured) }
  }

  private func judgeForecasts(
    _ cases: [ReplayBenchCase],
    _ logs: [String],
    _ runner: ReplayBenchRunner
  ) throws {
    let design = LadderDesign(
      rungs: LadderDesign.steps(from: 1000, halves: 12).filter { $0 <= top },
      repeats: 1,
      truths: [top * times],
      truthRepeats: 1
    )
    var verdicts: [Verdict] = []
    var observations = ["case,objects,cacheDivisor,load,metric,value"]
    for (benchCase, log) in zip(cases, logs) {
      printProgress("\(benchCase.name): \(design.turns.count) replays, load \(Self.loadAverage)")
      let plan = try Plan(
        paths: [
          try benchCase.writeReplay(of: log, tasks: ReplayBenchCase.tasks, in: runner.folder)
        ],
        kinds: WorkloadCatalog.kinds
      )
      let run = LadderRun(
        cases: try LadderCase.all(of: plan, like: nil),
        design: design,
        environment: runner.environment,
        stores: runner.stores,
        executor: runner.executor,
        scratch: runner.scratch,
        cacheFolder: runner.folder + "/stores",
        keepFolder: folder
      )
      guard let outcome = try run.perform().first else { continue }
      if let failure = outcome.failure { print("\(benchCase.name) failed \(failure)") }
      verdicts += judge(benchCase, outcome.observations)
      observations += rows(of: outcome.observations, benchCase.name)
    }
    show(verdicts)
    let head =
      "case,metric,objects,predicted,low,high,measured,error,held,halfWidth,load,"
      + "unseen,divergence"
    let lines = verdicts.map { verdict in
      [
        verdict.name, verdict.metric, "\(Int(verdict.objects))", verdict.predicted.value.digits,
        verdict.predicted.low.digits, verdict.predicted.high.digits, verdict.measured.digits,
        Figures.plain(verdict.error, decimals: 5), "\(verdict.isHeld)",
        Figures.plain(verdict.predicted.halfWidth, decimals: 4), load, "\(verdict.isUnseen)",
        Figures.plain(verdict.divergence, decimals: 4),
      ].joined(separator: ",")
    }
    try write([head] + lines, to: "replay.csv")
    try write(observations, to: "replay-observations.csv")
  }

  private func judge(_ benchCase: ReplayBenchCase, _ observations: [Observation]) -> [Verdict] {
    let name = benchCase.name
    let divergence = observations.compactMap { $0.counters["replay.divergence"] }.max() ?? 0
    let limit = Double(top) * 1.05
    let learnt = LadderData(observations.filter { $0.size <= limit })
    guard let truth = LadderData(observations.filter { $0.size > limit }).rungs.last else {
      return []
    }
    let counters = CounterForecast(learnt)
    var verdicts = counters.counted.compactMap { counter -> Verdict? in
      guard let found = try? counters.predict(counter, objects: truth.size).get() else {
        print("\(name): \(counter.name) is not predicted")
        return nil
      }
      return Verdict(
        name: name,
        metric: counter.name,
        objects: truth.size,
        predicted: found,
        measured: truth.counters[counter.metric] ?? 0,
        isUnseen: benchCase.isUnseen,
        divergence: divergence
      )
    }
    if let time = try? Forecast(learnt).predict(.time, objects: truth.size).get() {
      verdicts.append(
        Verdict(
          name: name,
          metric: "time",
          objects: truth.size,
          predicted: time,
          measured: truth.seconds,
          isUnseen: benchCase.isUnseen,
          divergence: divergence
        )
      )
    }
    return verdicts
  }

  private func rows(of observations: [Observation], _ name: String) -> [String] {
    observations.flatMap { observation in
      let counters = CounterForecast.counters.compactMap { counter in
        observation.counters[counter.metric].map { (counter.name, $0.digits) }
      }
      return (counters + [("time", Figures.plain(observation.seconds, decimals: 6))]).map {
        [name, "\(Int(observation.size))", "\(observation.cacheDivisor)", load, $0.0, $0.1]
          .joined(separator: ",")
      }
    }
  }

  private func show(_ verdicts: [Verdict]) {
    let table = TextTable(
      [
        .left("replay", 30), .left("", 15), .right("predicted", 14), .right("measured", 14),
        .right("error", 7), .right("±", 6), .right("held", 4),
      ],
      overflow: .widen
    )
    print("Forecasts at \((top * times).grouped) objects, load: \(load)\n\(table.header)")
    for verdict in verdicts {
      print(
        table.line([
          verdict.name, verdict.metric, verdict.predicted.value.digits, verdict.measured.digits,
          Figures.percent(verdict.error), verdict.predicted.halfWidth.percent,
          verdict.isHeld ? "yes" : "no",
        ])
      )
    }
    for (name, part) in [
      ("counters", verdicts.filter { $0.metric != "time" }),
      ("times", verdicts.filter { $0.metric == "time" }),
    ] where !part.isEmpty {
      print(
        "\(name): \(part.count { $0.isHeld }) of \(part.count) intervals hold, median error "
          + part.map { abs($0.error) }.median.percent
      )
    }
  }

  // MARK: Ten times the size

  /// Replay and workload on a store of ten times the logged size, in turns.
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
        // Whoever goes first changes from turn to turn; the first turn warms up.
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

  /// The processes that waited for a processor in the last minute.
  private static var loadAverage: String {
    let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
    return text?.split(separator: " ").first.map(String.init) ?? "unknown"
  }
}

extension Double {
  /// A counter as whole digits, a time with six decimals.
  fileprivate var digits: String {
    Figures.plain(self, decimals: rounded() == self || self > 1000 ? 0 : 6)
  }
}
