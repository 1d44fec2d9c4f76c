import ArgumentParser
import PersistentStore

/// Runs workload files.
struct RunCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run workload files and write their result.",
    discussion: """
      Writes result.json.gz, samples.csv.gz and summary.csv.gz after every case, and prints a \
      table at the end. Ctrl-C keeps what is finished.

      Entities, attributes and models that are not named are chosen from the store, and the table \
      lists them. With --store, cases whose names the store does not have are left out and listed; \
      names given by --set must exist.

      With --log, 'analyze' and a replay can be tried on statements that are known, and an app's log \
      compared with StoreBench's: 'analyze app.log bench.log --compare'.

      'compare-live' compares two sides in turns, 'crash-test' kills migrations.

      EXAMPLE: storebench run Workloads/fetch --store App.sqlite --set entity=Task
      """
  )

  @Argument(help: ArgumentHelp("Workload files, or folders of them.", valueName: "file"))
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
      "Level of the log: 1 has statements and times, 2 also values, 3 also objects. Default: 2.",
      valueName: "1-3"
    )
  )
  var logLevel: Int?

  @Flag(help: "Keep the last copies that were worked on.")
  var keep = false

  func validate() throws {
    if let logLevel {
      guard log != nil else { throw ValidationError("'--log-level' is for '--log'") }
      guard (1...3).contains(logLevel) else {
        throw ValidationError("'--log-level' must be from 1 to 3, not \(logLevel)")
      }
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    try debug.check()
    return try RunJob(
      plan: try cases.plan(of: paths, store: made.store, model: made.model, trials: trials.trials),
      output: output.folder(for: paths),
      folder: folder,
      keepsScratch: keep,
      log: log.map { SQLDebugWriter.Options(path: $0, level: logLevel ?? 2) }
    ).perform(on: console)
  }
}
