import ArgumentParser
import Basics
import PersistentStore
import Runner

/// Runs workload files.
struct RunCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run workload files and write their result.",
    discussion: """
      Writes result.json.gz, samples.csv.gz and summary.csv.gz after every case. Prints a table at \
      the end, and writes report.html, a page with charts. Ctrl-C keeps what is finished.

      Entities, attributes and models that are not named are chosen from the store, and the table \
      lists them. With --store, cases whose names the store does not have are left out and listed; \
      names given by --set must exist.

      With --log, 'analyze' and a replay can be tried on statements that are known, and an app's log \
      compared with StoreBench's: 'analyze app.log bench.log --compare'.

      A workload file with a claim is judged by interleaved trials, which go on until the claim's \
      confidence intervals lie on one side of its bounds or --claim-budget is spent: docs/claims.md.

      Exit status: 1 where a case failed, 2 where a claim does not hold, 3 where the verdict on a \
      claim is 'cannot tell'; of several, 1 before 2 before 3.

      'compare-live' compares two sides in turns, 'crash-test' kills migrations.

      EXAMPLE: storebench run Workloads/fetch --store App.sqlite --set entity=Task
      """
  )

  @Argument(
    help: ArgumentHelp("Workload files, or folders of them.", valueName: "file"),
    transform: InstalledFiles.resolved
  )
  var paths: [String]

  @OptionGroup var made: StoreOption
  @OptionGroup var trials: TrialsOption
  @OptionGroup var cases: ParameterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var folder: WorkFolderOption
  @OptionGroup var debug: DebugOption

  @Option(
    help: ArgumentHelp(
      "Also write each case's statements as an app's SQL log: one more trial, not measured.",
      valueName: "file"
    )
  )
  var log: String?

  @Option(
    help: ArgumentHelp(
      "Level of the log: 1 has statements and times, 2 also values, 3 objects, 4 plans. Default: 2.",
      valueName: "1-4"
    )
  )
  var logLevel: Int?

  @Option(
    help: ArgumentHelp(
      "Time for the interleaved trials of each claim: 90s, 5m.",
      valueName: "time"
    )
  )
  var claimBudget = "5m"

  @Flag(help: "Keep the last copies that were worked on.")
  var keep = false

  private var claimSeconds: Double? { Quantity.seconds(claimBudget, in: 1...86_400) }

  func validate() throws {
    if claimSeconds == nil {
      throw ValidationError(
        "'--claim-budget' must be a time from 1s to 24h, such as 90s or 5m, not '\(claimBudget)'"
      )
    }
    if let logLevel {
      guard log != nil else { throw ValidationError("'--log-level' is for '--log'") }
      guard (1...4).contains(logLevel) else {
        throw ValidationError("'--log-level' must be from 1 to 4, not \(logLevel)")
      }
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    try debug.check()
    return try RunJob(
      plan: try cases.plan(
        of: paths,
        for: console.program,
        store: made.store,
        model: made.model,
        trials: trials.trials
      ),
      output: output.folder(for: paths),
      folder: folder,
      keepsScratch: keep,
      log: log.map { SQLDebugWriter.Options(path: $0, level: logLevel ?? 2) },
      claimBudget: claimSeconds ?? Run.standardClaimBudget
    ).perform(on: console)
  }
}
