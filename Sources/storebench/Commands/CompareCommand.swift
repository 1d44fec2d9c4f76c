import ArgumentParser
import Measurement
import Reporter

/// Holds a stored result against a stored baseline.
struct CompareCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Hold a stored result against a baseline: counters exactly, times shown only.",
    discussion: """
      Exit status: 1 where a case failed, 2 where a counter that costs has risen.

      EXAMPLE: storebench compare Results/baselines/main.json.gz Results/runs/20260401T093000Z-main
      """
  )

  @Argument(help: "A result file, or the folder of a run.")
  var baseline: String

  @Argument(help: "The result to hold against it.")
  var result: String

  @Flag(help: "Show every metric, unchanged ones too.")
  var all = false

  @Flag(help: "End with status 3 where nothing can be said of a metric.")
  var failIfUndecided = false

  func run(on console: Console) throws -> CommandStatus {
    let comparison = try Comparison(
      of: ResultDocument(readingFrom: result),
      against: ResultDocument(readingFrom: baseline)
    )
    let table = ComparisonTable(
      isColoured: console.isColoured,
      width: console.width,
      isComplete: all
    )
    console.print(table.text(of: comparison))
    return CommandStatus(code: comparison.exitStatus(failsIfUndecided: failIfUndecided))
  }
}
