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
      the end, and writes report.html, a page with charts. Ctrl-C keeps the finished cases.

      If the workload file names no entity, attribute or model, StoreBench chooses one from the \
      store and lists it below the table. With --store, cases that name an entity, attribute or \
      model that the store lacks are skipped and listed; names given with --set must exist.

      --log writes the statements in the format of an app's SQL log. 'analyze app.log bench.log \
      --compare' then compares the two logs.

      Exit status: 1 if a case failed.

      With --plan, runs a plan of 'plan --output' or a part of it; 'merge' joins the results. From \
      the start, the result contains a row for every case of the plan, also for cases that have \
      not run yet.

      EXAMPLE: storebench run Workloads/fetch --store App.sqlite --set entity=Task
      EXAMPLE: storebench run --plan plan.json --shard 3/16 --output part-3
      """
  )

  @Argument(
    help: ArgumentHelp("Workload files, or folders of them.", valueName: "file"),
    transform: InstalledFiles.resolved
  )
  var paths: [String] = []

  @OptionGroup var part: PlanPart

  @OptionGroup var made: StoreOption
  @OptionGroup var trials: TrialsOption
  @OptionGroup var cases: ParameterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var folder: WorkFolderOption
  @OptionGroup var debug: DebugOption

  @Option(
    help: ArgumentHelp(
      """
      Also write each case's statements as an app's SQL log. This takes one more trial, which is \
      not measured.
      """,
      valueName: "file"
    )
  )
  var log: String?

  @Option(
    help: ArgumentHelp(
      """
      Level of the log: 1 statements and times; 2 also values; 3 also objects; 4 also query \
      plans. (default: 2)
      """,
      valueName: "1-4"
    )
  )
  var logLevel: Int?

  func validate() throws {
    guard part.path != nil || !paths.isEmpty else {
      throw ValidationError("'<file>' is missing")
    }
    if part.path != nil,
      !paths.isEmpty || made.store != nil || trials.trials != nil
        || !cases.parameters.isEmpty || cases.filter != nil
    {
      throw ValidationError(
        "'--plan' sets files, store, trials and parameters: leave out the options for them"
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
    let work = try part.work(for: console.program)
    return try RunJob(
      plan: try work?.plan ?? plan(for: console.program),
      work: work,
      output: output.folder(for: part.path.map { [$0] } ?? paths),
      folder: folder,
      log: log.map { SQLDebugWriter.Options(path: $0, level: logLevel ?? 2) }
    ).perform(on: console)
  }

  private func plan(for program: Program) throws -> Plan {
    try cases.plan(
      of: paths,
      for: program,
      store: made.store,
      model: made.model,
      trials: trials.trials
    )
  }
}
