import ArgumentParser
import Basics
import Forecasting
import Foundation
import Runner
import WorkloadKinds

/// Compares forecasts with measured times beyond their ladders: `make -C Evidence forecast`.
///
/// Stored measurements are not repeated, so that several runs add up. Everything runs on one
/// processor, because the processors of a shared machine differ by more than a forecast's permitted
/// error.
struct ForecastBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forecast",
    abstract: "Measure the out-of-sample errors of forecasts and the coverage of their intervals.",
    discussion: """
      Measurements on small stores predict the times of larger stores; these are then measured, to \
      check the prediction. Measurements are kept in a folder, so that several runs add up.

      EXAMPLE: bench forecast --top 16000 --truth 64000 --minutes 60
      EXAMPLE: bench forecast --kept
      """
  )

  @OptionGroup var ladder: BenchLadderOptions

  @Option(help: "Only cases whose name contains this.")
  var only = ""

  @Option(help: "Start no new case after this number of minutes.")
  var minutes = 600.0

  @Option(name: .customLong("csv"), help: "CSV file for the verdicts.")
  var csv: String?

  @Flag(help: "Judge the stored measurements only.")
  var kept = false

  func run() throws {
    let design = ladder.design
    let measurement = ForecastMeasurement(
      folder: ladder.folder,
      executor: WorkerProcess(executable: ladder.program)
    )
    SharedProcessor.current?.keepThisThread()
    let started = MonotonicClock.seconds()
    var verdicts: [ForecastVerdict] = []
    print(ForecastVerdict.table.header)
    for benchCase in ForecastBenchCase.all where only.isEmpty || benchCase.name.contains(only) {
      let isLate = MonotonicClock.seconds() - started > minutes * 60
      guard !isLate else {
        print("\(benchCase.name): left for the next run")
        continue
      }
      let outcome = try measurement.outcome(of: benchCase, design, keptOnly: kept)
      if let failure = outcome.failure { print("\(benchCase.name) failed \(failure)") }
      let found = ForecastVerdict.all(of: outcome, benchCase, top: Double(ladder.top))
      for verdict in found { print(verdict.line) }
      verdicts += found
    }
    let table = ForecastVerdict.Summary(verdicts: verdicts)
    print(table.text)
    if let csv { try AtomicFile.write(table.csv, to: csv) }
  }
}

struct BenchLadderOptions: ParsableArguments {
  @Option(help: "Folder in which measurements are kept between runs.")
  var folder = "Evidence/Results/forecast"

  @Option(help: "The storebench program that measures.")
  var program = ".build/release/storebench"

  @Option(help: "Largest measured size of the ladder: 16000 or 64000 objects.")
  var top = 64_000

  @Option(parsing: .upToNextOption, help: "Larger sizes, to predict and then measure.")
  var truth = [128_000, 256_000, 512_000, 1_000_000]

  @Option(help: "Number of runs at each size of the ladder.")
  var repeats = 5

  @Option(help: "Number of runs at each larger size.")
  var truthRepeats = 3

  var design: LadderDesign {
    LadderDesign(
      rungs: LadderDesign.steps(from: 1000, halves: 12).filter { $0 <= top },
      repeats: repeats,
      truths: truth,
      truthRepeats: truthRepeats
    )
  }
}

struct ForecastMeasurement {
  let folder: String
  let executor: any TrialExecutor

  func outcome(
    of benchCase: ForecastBenchCase,
    _ design: LadderDesign,
    keptOnly: Bool = false
  ) throws -> LadderRun.Outcome {
    let work = try BenchFolder()
    let scratch = try ScratchFolder(in: work.path)
    let plan = try Plan(
      paths: [benchCase.file],
      kinds: WorkloadCatalog.kinds,
      overrides: Overrides(parameters: benchCase.parameters)
    )
    let cases = try LadderCase.all(of: plan, like: benchCase.store)
    let run = LadderRun(
      cases: Array(cases.prefix(1)),
      design: design,
      environment: EnvironmentProbe.read(
        workFolder: scratch.path,
        codeFolder: ".",
        startedAt: Date.now.formatted(.iso8601)
      ),
      stores: StoreLibrary(cacheFolder: work.path + "/stores"),
      executor: executor,
      scratch: scratch,
      cacheFolder: work.path + "/stores",
      keepFolder: folder
    )
    return try (keptOnly ? run.kept() : run.perform()).first
      ?? LadderRun.Outcome(name: benchCase.name, observations: [], failure: "no case is possible")
  }
}
