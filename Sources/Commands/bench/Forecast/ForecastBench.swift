import ArgumentParser
import Forecasting
import Foundation
import Ladder
import Runner

/// Holds forecasts against the truth beyond their ladders: `make bench-forecast`.
///
/// What was measured is kept, so that runs add up: a case that is whole is only judged again. All of
/// it happens on one processor: those of a shared machine differ by more than a forecast may err.
struct ForecastBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forecast",
    abstract: "Out-of-sample errors of forecasts, and what their intervals hold."
  )

  @OptionGroup var ladder: BenchLadderOptions

  @Option(help: "Only cases whose name contains this.")
  var only = ""

  @Option(help: "No case is begun after so many minutes.")
  var minutes = 600.0

  @Option(name: .customLong("csv"), help: "A file for the verdicts, as CSV.")
  var csv: String?

  @Flag(help: "Only judges what is kept, and measures nothing.")
  var kept = false

  func run() throws {
    let design = ladder.design
    let measurement = ForecastMeasurement(
      folder: ladder.folder,
      executor: WorkerProcess(executable: ladder.program)
    )
    SharedProcessor.current?.keepThisThread()
    let started = ProcessInfo.processInfo.systemUptime
    var verdicts: [ForecastVerdict] = []
    print(ForecastVerdict.heads)
    for benchCase in ForecastBenchCase.all where only.isEmpty || benchCase.name.contains(only) {
      let isLate = ProcessInfo.processInfo.systemUptime - started > minutes * 60
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
    let table = ForecastVerdictTable(verdicts: verdicts)
    print(table.text)
    if let csv { try Data(table.csv.utf8).write(to: URL(fileURLWithPath: csv), options: .atomic) }
  }
}
