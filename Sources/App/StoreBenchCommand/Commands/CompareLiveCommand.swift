import ArgumentParser
import Basics
import Compare
import Runner

/// Compares two sides live.
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
      --require-verdict, if a verdict is 'cannot tell'.

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

  @Flag(help: "End with status 3 if a verdict is 'cannot tell'.")
  var requireVerdict = false

  @Option(help: "text, html (a page with charts) or json.")
  var format: PageFormat = .text

  @OptionGroup var made: StoreOption
  @OptionGroup var cases: ParameterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var folder: WorkFolderOption
  @OptionGroup var debug: DebugOption

  private var seconds: Double? { Quantity.seconds(budget, in: 1...604_800) }

  private func share(_ text: String?) -> Double? {
    text.flatMap { Quantity.share($0, in: 0.001...0.5) }
  }

  func validate() throws {
    if seconds == nil {
      throw ValidationError("'--budget' must be a time such as 90s, 10m or 2h, not '\(budget)'")
    }
    for (name, text) in [("margin", margin), ("floor", floor)] {
      if let text, share(text) == nil {
        throw ValidationError("'--\(name)' must be from 0.1% to 50%, not '\(text)'")
      }
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    try debug.check()
    var policy = LivePolicy()
    policy.margin = share(margin) ?? policy.margin
    policy.floor = share(floor) ?? policy.floor
    return try LiveJob(
      paths: paths,
      against: against,
      overrides: try cases.overrides(store: made.store, model: made.model),
      filter: cases.filter,
      policy: policy,
      budget: seconds ?? 600,
      requiresVerdict: requireVerdict,
      format: format,
      output: output.folder(for: paths),
      folder: folder
    ).perform(on: console)
  }
}
