import ArgumentParser
import Basics
import Compare
import DataModel
import Foundation
import Runner

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
    var (good, bad) = (
      try git.commit(change.before.commit), try git.commit(change.after.commit)
    )
    var between = try git.commits(after: good, through: bad)
    guard let first = between.first, try git.commit("\(first)^") == good else {
      throw Refusal.badInput(
        "the history has the change between \(good) and \(bad), but first parents do not lead "
          + "from the second to the first: measure the commits of one branch with "
          + "'storebench history run FIRST..LAST', then bisect again"
      )
    }
    console.note(
      "\(Figures.counted(between.count, "commit")) after \(good), up to \(bad)"
        + (between.count > 1 ? "" : "; the history has both, so nothing is measured")
    )
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

  private func noChange(in history: History) -> Refusal {
    let cases = Set(history.lines.map(\.series.caseID))
    guard cases.contains(caseID) else {
      return .badInput(
        "the history, whose changed cases 'storebench history show' lists, has no case '\(caseID)'"
          + didYouMean(caseID, among: cases.sorted())
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

  /// Whether a commit already has the change; `nil` if a live comparison cannot tell.
  private func isChanged(
    at commit: String,
    since good: String,
    _ change: History.Step,
    _ git: GitFolder,
    _ console: Console
  ) throws -> Bool? {
    let path = file ?? "Workloads/\(change.series.workload).yaml"
    return try git.checkedOut(commit) { folder, scratch -> Bool? in
      console.note("measuring \(commit)")
      let cases = ["--filter", caseID] + (debug.allowDebug ? ["--allow-debug"] : [])
      let output = scratch + "/result"
      let work = ["--work-folder", scratch + "/work"]
      guard change.series.isExact else {
        let live = ["compare-live", path, "--against", "git:\(good)", "--budget", budget]
        let answer = try git.program(live + cases + work + ["--require-verdict"], in: folder)
        switch answer.status {
        case 0: return false
        case CommandStatus.regression.code: return true
        case CommandStatus.undecided.code: return nil
        default: throw Refusal.cannotMeasure(commit: commit, reason: answer.errorLine)
        }
      }
      let answer = try git.program(["run", path, "--output", output] + cases + work, in: folder)
      guard answer.status == 0 else {
        throw Refusal.cannotMeasure(commit: commit, reason: answer.errorLine)
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
