import ArgumentParser
import Basics
import Compare
import Foundation
import Runner

/// Holds a stored result against a stored baseline.
struct CompareCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare a result with a baseline: counters exactly, times with --earlier.",
    discussion: """
      Prints the verdict, the causes (a changed model, recipe, setting or build), a line per \
      workload, and the five metrics that rose most; --all shows the rest.

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
      earlier: earlier
    ).perform()
    let comparison = outcome.comparison
    let form = ComparisonFormat(rawValue: format) ?? .table
    if form == .table {
      console.show(comparison.report(all ? .all : .largest))
    } else {
      console.write(comparison.text(as: form))
    }
    if form == .github { try summarise(comparison) }
    return outcome.refusal
      ?? CommandStatus(code: comparison.exitStatus(requiresVerdict: requireVerdict))
  }

  /// Adds the summary to the one of the GitHub job, where there is one.
  private func summarise(_ comparison: Comparison) throws {
    guard let path = ProcessInfo.processInfo.environment["GITHUB_STEP_SUMMARY"], !path.isEmpty
    else { return }
    guard let file = FileHandle(forWritingAtPath: path) else {
      throw Refusal.cannotWrite(path, reason: "GITHUB_STEP_SUMMARY names no file")
    }
    try file.seekToEnd()
    try file.write(contentsOf: Data(comparison.text(as: .markdown).utf8))
  }
}
