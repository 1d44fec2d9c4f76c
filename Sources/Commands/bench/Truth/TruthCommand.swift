import ArgumentParser
import Foundation

extension TruthBench.Part: ExpressibleByArgument {}

/// Puts the comparison's promise to the test: `make bench-truth`.
struct TruthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "truth",
    abstract: "How often the live comparison is right: false alarms, power, and other rules.",
    discussion: """
      Outcomes are added to CSV files in the results folder, one line a suite or try, as soon as \
      they are known: a run may be ended at any time, and the next one goes on. The table is of \
      all of them.

      EXAMPLE: bench truth --hours 2
      EXAMPLE: bench truth --table
      """
  )

  @Option(help: "Hours to go on for.")
  var hours: Double?

  @Option(help: "Minutes to go on for, besides the hours; 10 where neither is given.")
  var minutes: Double?

  @Option(help: "The folder that outcomes are kept in.")
  var results = "Results/truth"

  @Option(help: "The release build of storebench that is measured.")
  var storebench = ".build/release/storebench"

  @Option(help: "The folder for stores and copies.")
  var work = ".storebench"

  @Option(help: "One part alone: suites, slowdowns, traces or counters.")
  var only: TruthBench.Part?

  @Flag(help: "Measure nothing: print the table of what is there.")
  var table = false

  func validate() throws {
    for time in [hours, minutes].compactMap({ $0 }) where !(time > 0 && time <= 1000) {
      throw ValidationError(TruthError.unusableTime("\(time)").description)
    }
  }

  func run() throws {
    let ledgers = TruthLedgers(folder: results)
    if !table {
      let setting = try TruthSetting(ledgers: ledgers, program: storebench, workFolder: work)
      let parts = only.map { [$0] } ?? TruthBench.Part.allCases
      try TruthBench(setting: setting, parts: parts).run(seconds: seconds) { line in
        FileHandle.standardError.write(Data((line + "\n").utf8))
      }
    }
    for line in try TruthReport(ledgers).lines { print(line) }
  }

  private var seconds: Double {
    guard hours != nil || minutes != nil else { return 600 }
    return (hours ?? 0) * 3600 + (minutes ?? 0) * 60
  }
}
