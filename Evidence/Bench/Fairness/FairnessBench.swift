import ArgumentParser
import Basics

struct FairnessBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fairness",
    abstract:
      """
      List the statements that each engine compiles and runs within the measured time, as SQLite \
      reports them.
      """,
    discussion: """
      A test compares the table with Evidence/Results/fairness/fetch.txt, which docs/fairness.md shows. \
      After a reviewed change, '--output' writes this file.

      EXAMPLE: bench fairness --output Evidence/Results/fairness/fetch.txt
      """
  )

  @Option(help: "File for the table. (default: standard output)")
  var output: String?

  func run() throws {
    let text = try FairnessTable().text
    guard let output else { return print(text, terminator: "") }
    try AtomicFile.write(text, to: output)
  }
}
