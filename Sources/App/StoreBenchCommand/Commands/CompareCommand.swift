import ArgumentParser
import Basics
import Compare
import Foundation
import Reporting
import Runner

struct CompareCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare a result with a baseline: counters exactly, times with --earlier.",
    discussion: """
      Prints the verdict, the causes (a changed model, recipe, setting or build), a line per \
      workload, and the five metrics that rose most; --all shows the rest. A renamed workload file \
      and a case in which one parameter changed are compared with their earlier values. If a model \
      or recipe changed what a case works on, its costs stand side by side as 'content changed', \
      and fail only beyond a budget; all other cases are judged as usual.

      The 'budget' of a workload file says how much a cost may rise; by default it is 0. Times and \
      memory are judged only with --earlier, which needs at least five results of the same \
      environment: they show how much times and memory usually vary.

      Exit status: 1 if a case failed; 2 if a cost rose; 3, with --require-verdict, if a verdict \
      is 'cannot tell'; 65 if the two results measured different work; 66 if there is no baseline. \
      If several apply, the lowest number is returned.
      The format 'github' prints annotations, and adds a summary to the file given by \
      GITHUB_STEP_SUMMARY.

      EXAMPLE: storebench compare Results/baselines Results/runs/20260401T093000Z-ci
      """
  )

  @Argument(help: "A folder of baselines, one of its files, a result file or the folder of a run.")
  var baseline: String

  @Argument(help: "Result to compare with the baseline.")
  var result: String

  @Option(help: ArgumentHelp("One of \(Self.formats).", valueName: "name"))
  var format = ComparisonFormat.table.rawValue

  @Flag(help: "Show every case and metric, also if unchanged.")
  var all = false

  @Flag(help: "End with status 3 if a verdict is 'cannot tell'.")
  var requireVerdict = false

  @Flag(help: "Name the digests of stores and contents that differ.")
  var verbose = false

  @Option(
    help: ArgumentHelp(
      """
      Earlier results, which show how much times usually vary: a result, or a folder of runs. \
      Repeatable.
      """,
      valueName: "path"
    )
  )
  var earlier: [String] = []

  private static let formats = ComparisonFormat.allCases.map(\.rawValue).joined(separator: ", ")

  func validate() throws {
    guard let form = ComparisonFormat(rawValue: format) else {
      throw ValidationError("'--format' must be one of \(Self.formats), not '\(format)'")
    }
    if all, form != .table {
      throw ValidationError("'--all' works only with the format 'table'")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    let outcome = try CompareJob(
      baseline: baseline,
      result: result,
      earlier: earlier,
      showsDigests: verbose
    ).perform()
    let comparison = outcome.comparison
    let form = ComparisonFormat(rawValue: format) ?? .table
    if form == .table {
      console.show(comparison.report(all ? .all : .largest))
    } else {
      console.write(comparison.text(as: form))
    }
    if form == .github { try JobSummary.add(comparison.text(as: .markdown)) }
    return outcome.refusal
      ?? CommandStatus(code: comparison.exitStatus(requiresVerdict: requireVerdict))
  }
}

struct BaselineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline",
    abstract: "Keep the exact costs of a result as plain text, one per line, for review.",
    discussion: "EXAMPLE: storebench baseline update Results/runs/20260401T093000Z-ci --dry-run",
    subcommands: [BaselineUpdateCommand.self]
  )
}

struct BaselineUpdateCommand: ConsoleCommand {
  static let standardFolder = "Results/baselines"

  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Store a result as the new baseline of its workloads and its version of SQLite.",
    discussion: """
      Counters and sizes repeat to the last digit for one build of SQLite, so each build has its \
      own file: WORKLOADS-sqlite-VERSION-BUILD.csv. The file contains no times. Workloads and \
      cases that are missing from the result stay in the file unchanged, unless --prune is given \
      or their model, store or settings changed. With --prune, the old file may be unreadable.

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
    let old = try stored(at: path)
    if let old, !prune { baseline = baseline.keeping(old) }
    let changes = BaselineDifference(of: baseline, against: old).report
    if !dryRun { try BaselineFile.write(baseline, to: path) }
    console.show(changes)
    console.note(dryRun ? "would write \(path)" : "wrote \(path)")
    return .done
  }

  /// Reads the baseline to replace; with `--prune`, an unreadable baseline counts as missing.
  private func stored(at path: String) throws -> Baseline? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    if prune { return try? BaselineCSV.read(path: path) }
    do {
      return try BaselineCSV.read(path: path)
    } catch {
      throw Refusal.badInput(
        "\(error); with '--prune', this result replaces the whole file without reading it"
      )
    }
  }
}
