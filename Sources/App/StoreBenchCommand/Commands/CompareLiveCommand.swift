import ArgumentParser
import Basics
import Compare
import DataModel
import Foundation
import Runner

struct CompareLiveCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare-live",
    abstract: """
      Compare the times of two builds, models or settings, alternating every few milliseconds.
      """,
    discussion: """
      Measures in blocks: each starts two fresh processes, one for each side, which take turns. \
      Blocks go on until every case has a verdict or the budget is spent. Ctrl-C keeps the \
      finished blocks.

      Exit status: 1 if a case failed; 2 if a case became slower by --floor or more; 3, with \
      --require-verdict, if a verdict is 'cannot tell'. The format 'github' prints annotations, and \
      adds a summary to the file given by GITHUB_STEP_SUMMARY.

      EXAMPLE: storebench compare-live Workloads/fetch --against git:main --budget 5m
      """
  )

  @Argument(
    help: ArgumentHelp("Workload files, or folders of them.", valueName: "file"),
    transform: InstalledFiles.resolved
  )
  var paths: [String]

  @Option(
    help: ArgumentHelp(
      "The side to compare with: a workload file or folder, pragma:cache_size=500, "
        + "model:FILE, set:batchSize=1, git:main, binary:FILE, sqlite:FILE.",
      valueName: "side"
    ),
    transform: InstalledFiles.resolved
  )
  var against: String

  @Option(
    help: ArgumentHelp("Time budget of the whole comparison: 90s, 10m, 2h.", valueName: "time")
  )
  var budget = "10m"

  @Option(
    help: ArgumentHelp(
      """
      'unchanged' means that a change of this size or more is ruled out. A proven change is always \
      'changed', even if it is smaller. (default: 2%)
      """,
      valueName: "percent"
    )
  )
  var margin: String?

  @Option(
    help: ArgumentHelp(
      "Smallest slowdown that ends with status 2. (default: 1%)",
      valueName: "percent"
    )
  )
  var floor: String?

  @Option(
    help: ArgumentHelp(
      "Largest probability of any false alarm among all cases. (default: 0.5%)",
      valueName: "percent"
    )
  )
  var errorRate: String?

  @Flag(help: "End with status 3 if a verdict is 'cannot tell'.")
  var requireVerdict = false

  @Flag(help: "Do not build the program of 'git:REVISION'; run its files with this program.")
  var noBuild = false

  @Option(help: ArgumentHelp("One of \(Self.formats).", valueName: "name"))
  var format = LiveFormat.text.rawValue

  @OptionGroup var made: StoreOption
  @OptionGroup var cases: ParameterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var folder: WorkFolderOption
  @OptionGroup var debug: DebugOption

  private var seconds: Double? { Quantity.seconds(budget, in: 1...604_800) }

  private func share(_ text: String?) -> Double? {
    text.flatMap { Quantity.share($0, in: 0.001...0.5) }
  }

  /// The maximum probability of any false alarm among all cases.
  ///
  /// It must be at least one billionth, because otherwise no comparison would end.
  private var suiteLevel: Double? { errorRate.flatMap { Quantity.share($0, in: 1e-9...0.5) } }

  private static let formats = LiveFormat.allCases.map(\.rawValue).joined(separator: ", ")

  func validate() throws {
    guard LiveFormat(rawValue: format) != nil else {
      throw ValidationError("'--format' must be one of \(Self.formats), not '\(format)'")
    }
    if seconds == nil {
      throw ValidationError("'--budget' must be a time such as 90s, 10m or 2h, not '\(budget)'")
    }
    for (name, text) in [("margin", margin), ("floor", floor)] {
      if let text, share(text) == nil {
        throw ValidationError("'--\(name)' must be from 0.1% to 50%, not '\(text)'")
      }
    }
    if let errorRate, suiteLevel == nil {
      throw ValidationError("'--error-rate' must be from 0.0000001% to 50%, not '\(errorRate)'")
    }
  }

  /// Compares the cases that both sides (two builds, models or settings) have, and writes and
  /// prints the result.
  ///
  /// If the comparison is stopped, the finished blocks (alternating runs of both sides) are still
  /// written and shown.
  func run(on console: Console) throws -> CommandStatus {
    try debug.check()
    var policy = LivePolicy()
    policy.margin = share(margin) ?? policy.margin
    policy.floor = share(floor) ?? policy.floor
    policy.suiteLevel = suiteLevel ?? policy.suiteLevel
    let (matching, causes) = try sides(console)
    Signals.listen()
    let time = Date.now
    let outputFolder = try output.folder(for: paths).make(at: time)
    return try Workspace.use(folder, on: console) { space in
      let runner = LiveRunner(
        provider: space.stores(),
        scratch: space.scratch,
        isStopped: { Signals.isStopped() }
      )
      var result = try runner.compare(
        LiveSuite(
          cases: matching.cases,
          policy: policy,
          budget: seconds ?? 600,
          seed: LiveSuite.freshSeed()
        ),
        events: { space.line.take($0) }
      )
      result.onlyInBase = matching.onlyInBase
      result.onlyInHead = matching.onlyInHead
      result.causes = causes
      result.environment = space.environment(at: time, of: paths.first)
      space.line.clear()
      try result.write(to: RunFolder(path: outputFolder))
      switch LiveFormat(rawValue: format) ?? .text {
      case .text: console.show(result.report)
      case .html: console.show(result.report, asPage: true)
      case let other: console.write(try result.text(as: other))
      }
      if format == LiveFormat.github.rawValue { try JobSummary.add(result.text(as: .markdown)) }
      console.note("wrote \(outputFolder)/\(LiveResult.fileName)")
      console.note("wrote \(outputFolder)/\(RunFolder.reportName)")
      guard !result.isInterrupted else { return .interrupted }
      return CommandStatus(code: result.exitStatus(requiresVerdict: requireVerdict))
    }
  }

  private func sides(_ console: Console) throws -> (LiveMatching, causes: [Cause]) {
    let side = try SideText(against)
    return try ProgressLine.during(console) { line in
      var builder = SideBuilder(
        paths: paths,
        kinds: console.program.kinds,
        overrides: try cases.overrides(store: made.store, model: made.model),
        filter: cases.filter,
        executable: try Executable.path(),
        cacheFolder: folder.workFolder,
        progress: { line.take($0) }
      )
      builder.buildsRevisions = !noBuild
      builder.announce = { console.note($0) }
      let head = try builder.head(beside: side)
      for warning in head.plan.warnings { console.note(warning.description) }
      let base = try builder.base(side, named: against)
      let matching = try LiveMatching(base: base, head: head, filter: cases.filter)
      return (matching, Cause.all(of: head, against: base, in: matching.cases))
    }
  }
}
