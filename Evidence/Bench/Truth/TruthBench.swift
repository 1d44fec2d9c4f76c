import ArgumentParser
import Basics
import Compare
import Foundation
import Runner
import WorkloadKinds

struct TruthBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "truth",
    abstract: "Measure how often 'compare-live' is right: false alarms, power, and other rules.",
    discussion: """
      Each outcome is added at once, as a line of a CSV file in the results folder: you can stop \
      at any time, and the next run continues. Each row has the Git revision of the measured build. \
      Tables pool all rows of a ledger, so begin a new one with --results if what is measured has \
      changed: the cases, or how 'compare-live' measures. A row counts as loaded if other processes \
      were busy meanwhile, and as crowded if they left no processor. Measure for at most two hours \
      at a time, and build nothing meanwhile.

      EXAMPLE: bench truth --hours 2
      EXAMPLE: bench truth --hours 2 --load beside --only power
      EXAMPLE: bench truth --minutes 50 --load quiet --only suites --cell cold --cell writing
      EXAMPLE: bench truth --table
      """
  )

  enum Load: String, CaseIterable, ExpressibleByArgument {
    case quiet
    case loaded
    case beside
  }

  enum Part: String, CaseIterable, ExpressibleByArgument {
    case suites
    case nulls
    case power
    case traces
    case counters

    fileprivate func unit(_ comparisons: TruthComparisons) throws -> any TruthUnit {
      switch self {
      case .suites: ProductSuites(comparisons: comparisons)
      case .nulls: LongNulls(comparisons: comparisons)
      case .power: PowerAttempts(comparisons: comparisons)
      case .traces: try EqualTraces(comparisons.setting)
      case .counters: try PlantedCosts(comparisons.setting)
      }
    }
  }

  @Option(help: "Duration in hours.")
  var hours: Double?

  @Option(help: "Duration in minutes, added to the hours. (default: 10 if neither is given)")
  var minutes: Double?

  @Option(help: "Folder in which outcomes are kept.")
  var results = "Evidence/Results/truth"

  @Option(help: "The measured release build of storebench.")
  var storebench = ".build/release/storebench"

  @Option(help: "Folder for stores and copies.")
  var work = ".storebench"

  @Option(help: "Only one part: suites, nulls, power, traces or counters.")
  var only: Part?

  @Option(
    help: """
      Only rows without other load (quiet), or only rows under load of busy processes that leave \
      one processor (loaded). 'beside' starts none: it is for two benches at a time, whose rows \
      are under load of each other. A row without it counts as quiet.
      """
  )
  var load: Load?

  @Option(
    name: .customLong("cell"),
    help: "Only cases that are read warm or cold, written, or coarse; repeat it for several."
  )
  var cells: [TruthCell] = []

  @Flag(help: "Print the table of the stored outcomes, and measure nothing.")
  var table = false

  func validate() throws {
    for time in [hours, minutes].compactMap({ $0 }) where !(time > 0 && time <= 1000) {
      throw ValidationError(TruthError.unusableTime("\(time)").description)
    }
  }

  func run() throws {
    let ledgers = TruthLedgers(folder: results)
    if !table {
      let setting = try TruthSetting(
        ledgers: ledgers,
        program: storebench,
        workFolder: work,
        load: load,
        cells: cells
      )
      for note in try ledgers.changesSince() { printProgress(note) }
      try perform(only.map { [$0] } ?? Part.allCases, setting)
    }
    for line in try TruthReport(ledgers).lines { print(line) }
  }

  private var seconds: Double {
    guard hours != nil || minutes != nil else { return 600 }
    return (hours ?? 0) * 3600 + (minutes ?? 0) * 60
  }

  /// Runs whole units until the time is up.
  ///
  /// The ledgers' contents decide which unit is next, so a run continues where the last one ended.
  private func perform(_ parts: [Part], _ setting: TruthSetting) throws {
    let start = MonotonicClock.seconds()
    let comparisons = try TruthComparisons(setting)
    let units = try parts.map { try $0.unit(comparisons) }
    while MonotonicClock.seconds() - start < seconds {
      let spent = try units.map { try $0.spent() / $0.share }
      guard let next = spent.indices.min(by: { spent[$0] < spent[$1] }) else { return }
      printProgress(try units[next].perform())
    }
  }
}

extension TruthCell: ExpressibleByArgument {}

protocol TruthUnit {
  var share: Double { get }
  func spent() throws -> Double
  /// Makes one more measurement, records the result, and returns it as a progress line.
  func perform() throws -> String
}

final class TruthSetting {
  static let micro = "Evidence/Workloads/selftest/micro"
  static let selftest = "Evidence/Workloads/selftest"
  static let rows = "Evidence/Workloads/selftest/rows"

  let ledgers: TruthLedgers
  let worker: LiveWorker
  let provider: StoreLibrary
  private let workFolder: String
  private let commit: String
  private let load: TruthBench.Load?
  private let cells: Set<TruthCell>

  /// Prepares measurements with a build of storebench; stores and copies are in `workFolder`.
  ///
  /// If `load` or `cells` are given, only rows under that load or of those cells are measured.
  ///
  /// - Throws: ``TruthError/noProgram(path:)``.
  init(
    ledgers: TruthLedgers,
    program: String,
    workFolder: String,
    load: TruthBench.Load? = nil,
    cells: [TruthCell] = []
  ) throws {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw TruthError.noProgram(path: program)
    }
    self.ledgers = ledgers
    self.workFolder = workFolder
    self.load = load
    self.cells = Set(cells.isEmpty ? TruthCell.allCases : cells)
    worker = LiveWorker(name: "itself", executable: URL(fileURLWithPath: program).path)
    provider = StoreLibrary(cacheFolder: workFolder + "/cache")
    let environment = EnvironmentProbe.read(workFolder: ".", codeFolder: ".", startedAt: "")
    let changes = environment.commit.hasSuffix("+changes") ? "+changes" : ""
    commit = environment.commit.prefix(10) + changes
  }

  func scratch() throws -> ScratchFolder {
    try ScratchFolder(in: workFolder + "/scratch")
  }

  func plan(_ path: String) throws -> Plan {
    try Plan(paths: [path], kinds: WorkloadCatalog.kinds)
  }

  func equalCases(_ path: String) throws -> [LiveCase] {
    let side = LiveSide(plan: try plan(path), worker: worker)
    return try LiveMatching(base: side, head: side).cases
  }

  /// Returns the conditions of the next record, whose number in the ledger is the seed.
  func conditions(seed: Int, hasOtherLoad: Bool) -> Conditions {
    var averages = [0.0, 0.0, 0.0]
    getloadavg(&averages, 3)
    return Conditions(
      commit: commit,
      hasOtherLoad: hasOtherLoad,
      loadAverage: averages[0],
      seed: UInt64(seed)
    )
  }

  func isRow(_ row: Circumstances, of cell: TruthCell, isLoaded: Bool) -> Bool {
    row.cell == cell && row.load == (isLoaded ? .loaded : .quiet)
  }

  func next(
    after done: [Circumstances],
    of cells: [TruthCell]
  ) -> (cell: TruthCell, isLoaded: Bool) {
    let loads = load.map { [$0 != .quiet] } ?? [false, true]
    let choices = cells.filter(self.cells.contains).flatMap { cell in
      loads.map { (cell: cell, isLoaded: $0) }
    }
    func count(_ choice: (cell: TruthCell, isLoaded: Bool)) -> Int {
      done.count { isRow($0, of: choice.cell, isLoaded: choice.isLoaded) }
    }
    return choices.min { count($0) < count($1) } ?? (.warm, false)
  }

  /// Measures the next row with a fresh seed, with or without planned load, and records the load by
  /// other processes.
  func perform<Result>(
    next done: [Circumstances],
    of cells: [TruthCell],
    _ body: (TruthCell, UInt64) throws -> Result
  ) throws -> (Result, Circumstances) {
    let next = next(after: done, of: cells)
    var circumstances = Circumstances(
      revision: commit,
      cell: next.cell,
      isPlannedLoad: next.isLoaded,
      seed: LiveSuite.freshSeed()
    )
    let result = try perform(withOtherLoad: next.isLoaded) {
      let others = OtherWork()
      let result = try body(next.cell, circumstances.seed)
      // Round as the ledger does, so that a row read again has the same value.
      circumstances.others = (others.processors * 1000).rounded() / 1000
      return result
    }
    // If another bench generates the load, classify it by measurement, not by this bench's plan.
    if load == .beside { circumstances.isPlannedLoad = circumstances.isBusyBeside }
    return (result, circumstances)
  }

  func perform<Result>(withOtherLoad: Bool, _ body: () throws -> Result) throws -> Result {
    guard withOtherLoad, load != .beside else { return try body() }
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let load = try OtherLoad(folder: workFolder, processes: max(1, processors - 1))
    defer { load.end() }
    return try body()
  }
}
