import ArgumentParser
import Basics
import Compare
import DataModel
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

  /// The commit that a result is of, and what is known of it.
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
    // A shortened hash is that of the result's own commit.
    guard let source else { return (commit, nil) }
    if source.commit.hasPrefix(commit) { return (source.commit, source) }
    // In a pull request, the checked out commit is a merge of the target branch and this one.
    guard let head = source.head, head.hasPrefix(commit) else { return (commit, nil) }
    var revision = source
    (revision.commit, revision.head) = (head, nil)
    revision.parents = Array(source.parents.prefix(1))
    return (head, revision)
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
    func isIncluded(_ id: String) -> Bool { glob?.matches(id) ?? true }
    let start = try since.map { try commit($0, in: lines) }
    console.show(lines.report(since: start, isIncluded), asPage: format == .html)
    return failOnChange && lines.hasRise(since: start, isIncluded) ? .regression : .done
  }

  /// The commit of the history that a hash begins.
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

/// Finds the commit that changed a metric of a case.
struct HistoryBisectCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "bisect",
    abstract: "Find the commit that changed a metric of a case.",
    discussion: """
      Starts from the metric's last change in the history, and bisects the commits between the two \
      results around it. An exact counter is counted again at each tested commit; a time is \
      compared live with the commit before the change. If that comparison ends with 'cannot tell', \
      the search ends with status 3. Uses the Git repository of the current folder; its work tree \
      is not touched.

      EXAMPLE: storebench history bisect fetch/strategy=eager sqlite.vmSteps
      """
  )

  @Argument(help: ArgumentHelp("ID of the case.", valueName: "case"))
  var caseID: String

  @Argument(help: "The metric, such as sqlite.vmSteps or wallClock.")
  var metric: String

  @OptionGroup var history: HistoryOption

  @Option(
    help: ArgumentHelp(
      "Workload file of the case. (default: Workloads/NAME.yaml)",
      valueName: "file"
    )
  )
  var file: String?

  @Option(help: ArgumentHelp("Time for each live comparison: 90s, 5m.", valueName: "time"))
  var budget = "5m"

  @OptionGroup var debug: DebugOption

  func validate() throws {
    guard Quantity.seconds(budget, in: 1...604_800) != nil else {
      throw ValidationError("'--budget' must be a time such as 90s or 5m, not '\(budget)'")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    try debug.check()
    let lines = try HistoryFolder(path: history.folder).read()
    guard let change = lines.lastChange(of: metric, in: caseID) else {
      throw noChange(in: lines)
    }
    for commit in [change.before.commit, change.after.commit]
    where !SourceRevision.isHash(commit) {
      throw Refusal.badInput(
        "'\(TerminalText.plain(commit))' in the history is not a commit's hash: remove its lines from "
          + "'\(history.folder)'"
      )
    }
    let git = GitFolder(path: ".")
    var (good, bad) = (change.before.commit, change.after.commit)
    var between = try git.commits(after: good, through: bad)
    console.note("\(between.count) commits after \(good), up to \(bad)")
    while between.count > 1 {
      let middle = between[(between.count - 1) / 2]
      switch try isChanged(at: middle, since: good, change, git, console) {
      case true?: (bad, between) = (middle, Array(between.prefix((between.count + 1) / 2)))
      case false?: (good, between) = (middle, Array(between.suffix(between.count / 2)))
      case nil:
        console.print(
          "cannot tell: the comparison of \(middle) is undecided. The change is in one "
            + "of these commits:"
        )
        for commit in between { console.print("  \(commit)") }
        return .undecided
      }
    }
    let title = try git.title(of: between.first ?? bad)
    console.print("\(TerminalText.plain(title)) changed \(metric) of '\(caseID)'")
    return .done
  }

  /// Why there is nothing to search: a misspelled case or metric, or one that never changed.
  private func noChange(in history: History) -> Refusal {
    let cases = Set(history.lines.map(\.series.caseID))
    guard cases.contains(caseID) else {
      return .badInput(
        "the history has no case '\(caseID)'" + didYouMean(caseID, among: cases.sorted())
          + ": 'storebench history show' lists changed cases"
      )
    }
    let metrics = Set(history.lines.filter { $0.series.caseID == caseID }.map(\.series.metric))
    guard metrics.contains(metric) else {
      return .badInput(
        "the history has no metric '\(metric)' of '\(caseID)'"
          + didYouMean(metric, among: metrics.sorted())
      )
    }
    return .badInput("'\(metric)' of '\(caseID)' never changed in the history")
  }

  /// Whether a commit already has the change; `nil` where a live comparison cannot tell.
  private func isChanged(
    at commit: String,
    since good: String,
    _ change: History.Step,
    _ git: GitFolder,
    _ console: Console
  ) throws -> Bool? {
    let path = file ?? "Workloads/\(change.series.workload).yaml"
    return try git.checkedOut(commit) { folder -> Bool? in
      console.note("measuring \(commit)")
      let cases = ["--filter", caseID] + (debug.allowDebug ? ["--allow-debug"] : [])
      let output = folder + "/.storebench-bisect"
      let work = ["--work-folder", output + "-work"]
      guard change.series.isExact else {
        let live = ["compare-live", path, "--against", "git:\(good)", "--budget", budget]
        let answer = try git.program(live + cases + work + ["--require-verdict"], in: folder)
        switch answer.status {
        case 0: return false
        case CommandStatus.regression.code: return true
        case CommandStatus.undecided.code: return nil
        default: throw Refusal.cannotMeasure(commit: commit, reason: answer.message)
        }
      }
      let answer = try git.program(["run", path, "--output", output] + cases + work, in: folder)
      guard answer.status == 0 else {
        throw Refusal.cannotMeasure(commit: commit, reason: answer.message)
      }
      let lines = HistoryLine.lines(of: try ResultDocument(readingFrom: output), commit: commit)
      guard
        let line = lines.first(where: { $0.series.caseID == caseID && $0.series.metric == metric })
      else { throw Refusal.cannotMeasure(commit: commit, reason: "it has no such case or metric") }
      guard line.series.environment == change.series.environment else {
        throw Refusal.cannotMeasure(
          commit: commit,
          reason:
            "the history was measured with \(change.series.environment), but this machine has "
            + "\(line.series.environment)"
        )
      }
      return line.value != change.before.value
    }
  }
}

/// The repository of a folder, whose commits are checked out beside it.
struct GitFolder {
  let path: String

  /// The commits after one, through another, the oldest first.
  func commits(after first: String, through last: String) throws -> [String] {
    // A commit comes from a file, which may say '--output=…' in its place.
    let options = ["rev-list", "--reverse", "--first-parent", "--end-of-options"]
    let list = try git(options + ["\(first)..\(last)", "--"]).split(separator: "\n").map(
      String.init
    )
    guard !list.isEmpty else {
      throw Refusal.cannotMeasure(
        commit: last,
        reason: "'\(first)' is not an earlier commit of this repository; a clone of part of the "
          + "history lacks commits: 'git fetch --unshallow', or 'fetch-depth: 0' of "
          + "actions/checkout"
      )
    }
    return list
  }

  /// The short hash and the first line of the message.
  func title(of commit: String) throws -> String {
    try git(["log", "-1", "--format=%h %s", "--end-of-options", commit])
  }

  /// Does work in a work tree of a commit, which is removed afterwards.
  func checkedOut<Result>(_ commit: String, _ work: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.path + "/storebench-\(UUID().uuidString)"
    _ = try git(["worktree", "add", "--detach", "--end-of-options", folder, commit])
    defer { _ = try? git(["worktree", "remove", "--force", folder]) }
    return try work(folder)
  }

  /// Runs this program in a folder.
  func program(
    _ arguments: [String],
    in folder: String
  ) throws -> (status: Int32, message: String) {
    // The shell changes the folder: a work tree's workload files are named as in the repository.
    let script = "cd \"$1\" && shift && exec \"$@\""
    let words = ["-c", script, "sh", folder, try Executable.path()] + arguments
    guard let answer = Tool(name: "sh").run(words) else { throw Refusal.noExecutable }
    return (answer.status, answer.errorLine)
  }

  private func git(_ arguments: [String]) throws -> String {
    guard let answer = Tool.git(arguments, in: path), answer.status == 0 else {
      throw Refusal.cannotMeasure(
        commit: arguments.last ?? "",
        reason: "'git \(arguments.first ?? "")' failed here; a clone of part of the history lacks "
          + "commits: 'git fetch --unshallow', or 'fetch-depth: 0' of actions/checkout"
      )
    }
    return answer.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
