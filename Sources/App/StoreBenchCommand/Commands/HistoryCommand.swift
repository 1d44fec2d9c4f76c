import ArgumentParser
import Basics
import Compare
import Foundation
import Runner

/// Keeps results over commits and shows what changed in them.
struct HistoryCommand: ParsableCommand {
  static let standardFolder = "Results/history"

  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Keep the results of many commits, and show which commit changed which metric.",
    discussion: """
      A history is a folder of text files with one line for each metric and commit. Each result \
      has its own file, so branches merge without conflicts. The files of past months are \
      compressed.

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
    abstract: "Add the exact costs of a result and the medians of its times.",
    discussion: """
      The commit is the commit of the measured sources. Adding the same result again changes \
      nothing.

      EXAMPLE: storebench history add result --commit "$(git rev-parse HEAD)"
      """
  )

  @Argument(help: "A result file, or the folder of a run.")
  var result: String

  @Option(
    help: ArgumentHelp(
      """
      The measured commit. (default: the commit that this program was built from)
      """,
      valueName: "hash"
    )
  )
  var commit: String?

  @OptionGroup var history: HistoryOption

  func run(on console: Console) throws -> CommandStatus {
    let document = try ResultDocument(readingFrom: result)
    let commit = self.commit ?? document.environment.commit
    guard !commit.isEmpty, commit.count <= 200 else {
      throw Refusal.misuse(
        "the result contains no commit: pass the measured commit with --commit HASH"
      )
    }
    if let path = try HistoryFolder(path: history.folder).add(document, commit: commit) {
      console.note("wrote \(path)")
    } else {
      console.note(
        "'\(history.folder)' already contains this result, or the result has nothing to "
          + "keep"
      )
    }
    return .done
  }
}

/// Shows a history.
struct HistoryShowCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show each change of an exact counter with its commit, then changes of times.",
    discussion: """
      Exact counters have no noise, so each difference is a change. Times are compared within one \
      environment only. For unchanged code, at most 5 % of histories ever report a changed time, \
      however often you look. If times of neighboring commits are correlated, the verdict is \
      'cannot tell', and a command that decides is printed: docs/history.md.

      EXAMPLE: storebench history show --format html > history.html
      """
  )

  @OptionGroup var history: HistoryOption

  @Option(help: "Only cases whose ID matches; '*' stands for any text.")
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
    console.show(lines.report { glob?.matches($0) ?? true }, asPage: format == .html)
    return .done
  }
}
