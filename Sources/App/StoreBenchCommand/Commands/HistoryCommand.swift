import ArgumentParser
import Basics
import Compare
import DataModel
import Foundation
import Runner

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
      EXAMPLE: storebench history run v1.2..main Workloads/ci
      EXAMPLE: storebench history show
      """,
    subcommands: [
      HistoryAddCommand.self, HistoryRunCommand.self, HistoryShowCommand.self,
      HistoryBisectCommand.self,
    ]
  )
}

struct HistoryOption: ParsableArguments {
  @Option(help: ArgumentHelp("The folder of the history.", valueName: "folder"))
  var folder = HistoryCommand.standardFolder
}

struct HistoryAddCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add the exact costs of a result and the medians of its times.",
    discussion: """
      The commit is that of the repository of the workload files, which the result records with \
      its date, parents and branch: commits are shown in that order. A result that was measured \
      with uncommitted changes is of no commit, and needs --commit. Adding the same result again \
      changes nothing.

      EXAMPLE: storebench history add result --commit "$(git rev-parse HEAD)"
      """
  )

  @Argument(help: "A result file, or the folder of a run.")
  var result: String

  @Option(
    help: ArgumentHelp(
      """
      Hash of the measured commit. (default: the one that the result records)
      """,
      valueName: "hash"
    )
  )
  var commit: String?

  @OptionGroup var history: HistoryOption

  func run(on console: Console) throws -> CommandStatus {
    let document = try ResultDocument(readingFrom: result)
    let (commit, revision) = try measured(document.environment.source)
    let folder = HistoryFolder(path: history.folder)
    if let path = try folder.add(document, commit: commit, revision: revision) {
      console.note("wrote \(path)")
    } else {
      console.note(
        "'\(history.folder)' already contains this result, or the result has nothing to keep"
      )
    }
    return .done
  }

  private func measured(
    _ source: SourceRevision?
  ) throws -> (commit: String, revision: SourceRevision?) {
    guard let commit = commit?.lowercased() else {
      guard let source, SourceRevision.isHash(source.commit) else {
        throw Refusal.misuse(
          "the result contains no commit: pass the measured commit with --commit HASH"
        )
      }
      guard source.isDirty != true else {
        throw Refusal.misuse(
          "the result was measured with uncommitted changes to \(source.commit.prefix(10)): commit "
            + "them and measure again, or pass --commit HASH"
        )
      }
      return (source.commit, source)
    }
    guard SourceRevision.isHash(commit) else {
      throw Refusal.misuse(
        "'--commit' must be a commit's hash, such as that of 'git rev-parse HEAD', not "
          + "'\(TerminalText.plain(commit))'"
      )
    }
    // If the given commit is a shortened hash of the result's commit, use the full hash.
    guard let source else { return (commit, nil) }
    if source.commit.hasPrefix(commit) { return (source.commit, source) }
    // In a pull request, the result's commit is a temporary merge of the pull request's last
    // commit, which the user may have given, and the target branch.
    guard let head = source.head, head.hasPrefix(commit) else { return (commit, nil) }
    var revision = source
    (revision.commit, revision.head) = (head, nil)
    revision.parents = Array(source.parents.prefix(1))
    return (head, revision)
  }
}

struct HistoryShowCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show each change of an exact counter with its commit, then changes of times.",
    discussion: """
      Exact counters have no noise, so each difference is a change. Times are compared within one \
      environment only. For unchanged code, at most 5 % of histories ever report a changed time, \
      however often you look. If times of neighboring commits are correlated, the verdict is \
      'cannot tell', and a command that decides is printed: docs/history.md.

      A step of times of about a half or more that lasts five commits is 'suspected' before 50 \
      commits are there; 'history run --confirm' measures both commits live.

      With --fail-on-change, the status is 2 if a counter or a time rose; --since limits that and \
      what is shown to later commits.

      EXAMPLE: storebench history show --format html > history.html
      EXAMPLE: storebench history show --since a1b2c3d --fail-on-change
      """
  )

  @OptionGroup var history: HistoryOption

  @Option(help: "Only cases whose ID matches; '*' stands for any text.")
  var filter: String?

  @Option(help: ArgumentHelp("Only changes after this commit of the history.", valueName: "hash"))
  var since: String?

  @Flag(help: "End with status 2 if something rose.")
  var failOnChange = false

  @Option(help: "text, html or json.")
  var format: PageFormat = .text

  func run(on console: Console) throws -> CommandStatus {
    let lines = try HistoryFolder(path: history.folder).read()
    let glob = filter.map(Glob.init)
    func isIncluded(_ id: String) -> Bool { glob?.matches(id) ?? true }
    let start = try since.map { try commit($0, in: lines) }
    switch format {
    case .text, .html:
      console.show(lines.report(since: start, isIncluded), asPage: format == .html)
    case .json:
      console.printDocument(
        try HistoryDocument(lines, since: start, isIncluded).jsonText(isPretty: false)
      )
    }
    return failOnChange && lines.hasRise(since: start, isIncluded) ? .regression : .done
  }

  private func commit(_ hash: String, in history: History) throws -> String {
    let found = history.commits.filter { $0.hasPrefix(hash.lowercased()) }
    guard SourceRevision.isHash(hash.lowercased()), let commit = found.first, found.count == 1
    else {
      throw Refusal.badInput(
        "'--since \(TerminalText.plain(hash))' is not the hash of one commit of the history: "
          + "'storebench history show' lists them"
      )
    }
    return commit
  }
}
