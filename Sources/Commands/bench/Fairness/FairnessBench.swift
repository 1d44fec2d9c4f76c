import ArgumentParser
import Basics

/// Prints what each engine of a fetch does inside the clock.
struct FairnessBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fairness",
    abstract:
      "Statements that each engine compiles and runs inside the clock, as SQLite reports them.",
    discussion: """
      A test compares the table with Results/fairness/fetch.txt, which docs/fairness.md shows. \
      '--output' writes it after a change that was reviewed.

      EXAMPLE: bench fairness --output Results/fairness/fetch.txt
      """
  )

  @Option(help: "A file for the table, instead of standard output.")
  var output: String?

  func run() throws {
    let text = try FairnessTable().text
    guard let output else { return print(text, terminator: "") }
    try AtomicFile.write(text, to: output)
  }
}
