import ArgumentParser
import Basics
import Compare
import Foundation
import Runner

struct HistoryRunCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Measure the commits of a range, and add each result to the history.",
    discussion: """
      A..B means A and all commits after it through B, by first parents. Each is checked out in a \
      work tree of its own; its workload files, recipes and models are run by this program, and the \
      work tree of the present folder is not touched. No hook and no filter of the repository runs. \
      Commits that the history already has from this build are left out: after Ctrl-C, the same \
      command continues.

      With --confirm, each step of wall-clock times in the range that is only suspected is measured \
      again: both commits run live, in turns. Only a confirmed rise is an alarm. Where no commit \
      changes anything, one is raised with a probability of at most 0.5 %, however many steps are \
      measured: the comparisons share this error.

      Exit status: 1 if a commit could not be measured or a case failed; 2 if a rise was confirmed.

      EXAMPLE: storebench history run v1.2..main Workloads/ci
      EXAMPLE: storebench history run HEAD~15..HEAD Workloads/ci --confirm
      """
  )

  @Argument(help: ArgumentHelp("The commits: FIRST..LAST, as git names them.", valueName: "range"))
  var range: String

  @Argument(help: ArgumentHelp("Workload files, or folders of them.", valueName: "file"))
  var paths: [String] = ["Workloads/ci"]

  @OptionGroup var history: HistoryOption

  @Flag(help: "Measure both commits of each suspected step live.")
  var confirm = false

  @Option(help: ArgumentHelp("Time for each live comparison: 90s, 5m.", valueName: "time"))
  var budget = "5m"

  @OptionGroup var work: WorkFolderOption
  @OptionGroup var debug: DebugOption

  private var ends: (first: String, last: String)? {
    guard let dots = range.range(of: "..") else { return nil }
    let (first, last) = (range[..<dots.lowerBound], range[dots.upperBound...])
    // Reject a range with three dots, which has another meaning in Git.
    guard !first.isEmpty, !last.isEmpty, !last.hasPrefix("."), !last.contains("..") else {
      return nil
    }
    return (String(first), String(last))
  }

  func validate() throws {
    guard ends != nil else {
      throw ValidationError("the range must be FIRST..LAST, such as v1.2..main, not '\(range)'")
    }
    if let path = paths.first(where: {
      $0.hasPrefix("/") || $0.split(separator: "/").contains("..")
    }) {
      throw ValidationError(
        "'\(path)' must be relative and without '..': each commit has its own workload files"
      )
    }
    guard Quantity.seconds(budget, in: 1...604_800) != nil else {
      throw ValidationError("'--budget' must be a time such as 90s or 5m, not '\(budget)'")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    try debug.check()
    guard let ends else { return .misuse }
    let git = GitFolder(path: ".")
    let (first, last) = (try git.commit(ends.first), try git.commit(ends.last))
    let commits = [first] + (first == last ? [] : try git.commits(after: first, through: last))
    let plan = try Plan(paths: paths, kinds: console.program.kinds)
    Signals.listen()
    let known = try measured()
    let environment = EnvironmentProbe.read(workFolder: ".", codeFolder: ".", startedAt: "")
    let open = try commits.filter { commit in
      let files = try git.files(of: commit, at: paths)
      // Omit workloads whose files the commit lacks, because they cannot be measured at this
      // commit.
      let names = plan.workloads.map(\.file).filter { files.contains(GitFolder.full($0.path)) }
        .map(\.name)
      return files.isEmpty || !known.isMeasured(commit, of: Set(names), with: environment)
    }
    console.note(
      "\(Figures.counted(commits.count, "commit")), \(commits.count - open.count) of them measured "
        + "already"
    )
    var hasFailed = false
    for (index, commit) in open.enumerated() {
      guard !Signals.isStopped() else { return stopped(before: open.count - index, console) }
      console.note("\(index + 1) of \(open.count): \(try git.title(of: commit))")
      if try !measure(commit, git, console) { hasFailed = true }
    }
    if Signals.isStopped() { return stopped(before: 0, console) }
    console.print(
      "\(Figures.counted(commits.count, "commit")) in '\(history.folder)'; "
        + "'storebench history show\(folderOption)' shows what changed"
    )
    guard confirm else { return hasFailed ? .caseFailed : .done }
    let outcome = try Confirmation(
      history: try measured(),
      commits: Set(commits),
      files: Dictionary(keepingFirst: plan.workloads.map { ($0.file.name, $0.file.path) }),
      budget: budget,
      options: commonOptions
    ).perform(git, console)
    if hasFailed || outcome.hasFailed { return .caseFailed }
    return outcome.confirmedRises > 0 ? .regression : .done
  }

  private func stopped(before count: Int, _ console: Console) -> CommandStatus {
    console.note(
      "interrupted; \(Figures.counted(count, "commit")) left, and the same command continues"
    )
    return .interrupted
  }

  private var folderOption: String {
    let folder = history.folder
    return folder == HistoryCommand.standardFolder
      ? "" : " --folder \(ShellWord.quoted(folder))"
  }

  private func measured() throws -> History {
    FileManager.default.fileExists(atPath: history.folder)
      ? try HistoryFolder(path: history.folder).read() : History([])
  }

  /// The command-line options of every measurement.
  ///
  /// They include the work folder, because most commits have the same recipe and can reuse its
  /// stores.
  private var commonOptions: [String] {
    let folder = URL(fileURLWithPath: work.workFolder).standardizedFileURL.path
    return ["--work-folder", folder] + (debug.allowDebug ? ["--allow-debug"] : [])
  }

  private func measure(_ commit: String, _ git: GitFolder, _ console: Console) throws -> Bool {
    try git.checkedOut(commit) { tree, scratch in
      let output = scratch + "/result"
      let run = ["run", "--output", output] + commonOptions + ["--"] + paths
      let answer = try git.program(run, in: tree)
      guard [CommandStatus.done.code, CommandStatus.caseFailed.code].contains(answer.status),
        let document = try? ResultDocument(readingFrom: output)
      else {
        if !Signals.isStopped() {
          console.note("\(commit.prefix(10)) cannot be measured: \(answer.errorLine)")
        }
        return false
      }
      let source = document.environment.source.flatMap { $0.commit == commit ? $0 : nil }
      _ = try HistoryFolder(path: history.folder).add(document, commit: commit, revision: source)
      if answer.status != CommandStatus.done.code {
        console.note("\(commit.prefix(10)): a case failed, and is not in the history")
      }
      return answer.status == CommandStatus.done.code
    }
  }
}

/// Measures the commits before and after each suspected step (a likely change in times) in a live
/// comparison.
private struct Confirmation {
  let history: History
  /// The commits of the range; steps at other commits are ignored.
  let commits: Set<String>
  let files: [String: String]
  let budget: String
  let options: [String]

  struct Outcome {
    var confirmedRises = 0
    var hasFailed = false
  }

  private struct Answer: Decodable {
    struct Case: Decodable {
      let id: String
      let verdict: String
      let change: Double?
    }

    let cases: [Case]
  }

  func perform(_ git: GitFolder, _ console: Console) throws -> Outcome {
    let found = history.suspicions { files[$0.workload] != nil }
      .filter { commits.contains($0.after) }
    if found.isEmpty { console.print("no step of times is suspected") }
    // Only list steps of metrics other than wall-clock time, because a live comparison evaluates
    // only wall-clock time.
    let (times, others) = (found.filter(isOfWallClock), found.filter { !isOfWallClock($0) })
    for step in others { console.print("suspected, and not measured live: \(words(of: step))") }
    var outcome = Outcome()
    let pairs = Dictionary(grouping: times) { [$0.before, $0.after] }
    let level = LivePolicy().divided(among: pairs.count).suiteLevel
    for (pair, steps) in pairs.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      guard !Signals.isStopped() else { break }
      console.note("comparing \(pair[0].prefix(10)) and \(pair[1].prefix(10)) live, \(budget)")
      guard let answer = try compare(pair[0], pair[1], steps, level, git, console) else {
        outcome.hasFailed = true
        continue
      }
      for step in steps {
        let result = answer.cases.first { $0.id == step.series.caseID }
        let change = result?.change ?? 0
        switch result?.verdict {
        case "changed"? where (change > 0) == (step.ratio > 1):
          if change > 0 { outcome.confirmedRises += 1 }
          let live = (change > 0 ? "+" : "−") + Figures.percent(abs(change))
          console.print("confirmed (\(live) live): \(words(of: step))")
        case let verdict:
          console.print("not confirmed (\(verdict ?? "not compared")): \(words(of: step))")
        }
      }
    }
    return outcome
  }

  private func isOfWallClock(_ step: History.Suspicion) -> Bool {
    step.series.metric == Metric.wallClock.name
  }

  private func words(of step: History.Suspicion) -> String {
    let change = (step.ratio > 1 ? "+" : "−") + Figures.percent(abs(step.ratio - 1))
    return TerminalText.plain(
      "\(step.series.caseID): \(step.series.metric) \(change) at \(history.name(of: step.after))"
    )
  }

  /// Compares all suspected cases of two commits in one live comparison.
  ///
  /// The total error rate is divided among these comparisons.
  private func compare(
    _ before: String,
    _ after: String,
    _ steps: [History.Suspicion],
    _ level: Double,
    _ git: GitFolder,
    _ console: Console
  ) throws -> Answer? {
    let paths = Set(steps.compactMap { files[$0.series.workload] }).sorted()
    let filter = steps.count == 1 ? ["--filter", steps[0].series.caseID] : []
    return try git.checkedOut(after) { tree, scratch in
      // Both sides are measured with the current program, like all results in the history.
      let live = ["compare-live", "--against", "git:\(before)", "--no-build", "--format", "json"]
      let place = ["--budget", budget, "--output", scratch + "/live"]
      let rate = ["--error-rate", "\(level * 100)%"]
      let answer = try git.program(
        live + rate + place + filter + options + ["--"] + paths,
        in: tree
      )
      guard let found = try? JSONDecoder().decode(Answer.self, from: Data(answer.output.utf8))
      else {
        console.note("the commits cannot be compared: \(answer.errorLine)")
        return nil
      }
      return found
    }
  }
}
