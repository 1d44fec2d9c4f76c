import ArgumentParser
import Basics
import Foundation
import Measurement
import Reporter
import Runner

/// Keeps results over commits and shows what changed in them.
struct HistoryCommand: ParsableCommand {
  static let standardFolder = "Results/history"

  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Keep results over commits, and show which commit changed what.",
    discussion: """
      A history is a folder of plain files: a line for each metric and commit. Each result is a file \
      of its own, so that branches merge without conflict; months that are over are compressed.

      EXAMPLE: storebench history add Results/runs/20260401T093000Z-ci --commit a1b2c3d
      EXAMPLE: storebench history show
      """,
    subcommands: [HistoryAddCommand.self, HistoryShowCommand.self, HistoryBisectCommand.self]
  )
}

/// Where the history is.
struct HistoryOption: ParsableArguments {
  @Option(help: ArgumentHelp("The folder of the history.", valueName: "folder"))
  var folder = HistoryCommand.standardFolder
}

/// Adds a result to a history.
struct HistoryAddCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a result: its exact costs, and the medians of its times.",
    discussion: """
      The commit is that of the sources that were measured. A result that is there already adds \
      nothing.

      EXAMPLE: storebench history add result --commit "$(git rev-parse HEAD)"
      """
  )

  @Argument(help: "A result file, or the folder of a run.")
  var result: String

  @Option(help: ArgumentHelp("The commit; that of this program otherwise.", valueName: "hash"))
  var commit: String?

  @OptionGroup var history: HistoryOption

  func run(on console: Console) throws -> CommandStatus {
    let document = try ResultDocument(readingFrom: result)
    let commit = self.commit ?? document.environment.commit
    guard !commit.isEmpty, commit.count <= 200 else { throw StorebenchError.noCommit }
    if let path = try HistoryFolder(path: history.folder).add(document, commit: commit) {
      console.note("wrote \(path)")
    } else {
      console.note("'\(history.folder)' has this result already, or it has nothing to keep")
    }
    return .done
  }
}

/// Shows a history.
struct HistoryShowCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show each change of an exact counter with its commit, then the times.",
    discussion: """
      Exact counters have no noise: each step is a change. Times are of one environment each. In at \
      most 5 % of histories of unchanged code any change of a time is reported, whenever you look; \
      where the values of neighboring commits are alike, the verdict is 'cannot tell', with the \
      command that decides: docs/history.md.

      EXAMPLE: storebench history show --format html > history.html
      """
  )

  @OptionGroup var history: HistoryOption

  @Option(help: "Only cases whose ID fits; '*' stands for any text.")
  var filter: String?

  @Option(help: "text or html.")
  var format: HistoryFormat = .text

  /// The forms of a history for people.
  enum HistoryFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case html
  }

  func run(on console: Console) throws -> CommandStatus {
    let lines = try HistoryFolder(path: history.folder).read()
    let glob = filter.map(Glob.init)
    let report = HistoryReport(lines) { glob?.matches($0) ?? true }
    switch format {
    case .text: console.print(report.text(width: console.width))
    case .html: console.write(report.html)
    }
    return .done
  }
}
