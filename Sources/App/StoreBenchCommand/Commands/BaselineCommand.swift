import ArgumentParser
import Basics
import Compare
import Foundation
import Reporting
import Runner

/// Keeps exact costs as plain text, for review and for `compare`.
struct BaselineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline",
    abstract: "Keep the exact costs of a result as plain text, one per line, for review.",
    discussion: "EXAMPLE: storebench baseline update Results/runs/20260401T093000Z-ci --dry-run",
    subcommands: [BaselineUpdateCommand.self]
  )
}

/// Writes the baseline of a result and says what it changes.
struct BaselineUpdateCommand: ConsoleCommand {
  static let standardFolder = "Results/baselines"

  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Store a result as the new baseline of its workloads and its version of SQLite.",
    discussion: """
      Counters and sizes repeat to the last digit for one build of SQLite, so each build has its \
      own file: WORKLOADS-sqlite-VERSION-BUILD.csv. The file contains no times. Workloads and \
      cases that are missing from the result stay in the file unchanged, unless --prune is given.

      EXAMPLE: storebench baseline update Results/runs/20260401T093000Z-ci
      """
  )

  @Argument(help: "A result file, or the folder of a run.")
  var result: String

  @Option(help: ArgumentHelp("The folder of the baselines.", valueName: "folder"))
  var folder = Self.standardFolder

  @Flag(help: "Remove workloads and cases that are missing from the result.")
  var prune = false

  @Flag(help: "Print what would change, and write nothing.")
  var dryRun = false

  func run(on console: Console) throws -> CommandStatus {
    let document = try ResultDocument(readingFrom: result)
    var baseline = try Baseline(of: document)
    let path = "\(folder)/\(BaselineFile.name(of: baseline))"
    let old =
      FileManager.default.fileExists(atPath: path) ? try BaselineCSV.read(path: path) : nil
    if let old, !prune { baseline = baseline.keeping(old) }
    let changes = BaselineDifference(of: baseline, against: old).report
    if !dryRun { try BaselineFile.write(baseline, to: path) }
    console.show(changes)
    console.note(dryRun ? "would write \(path)" : "wrote \(path)")
    return .done
  }
}
