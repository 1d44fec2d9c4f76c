import ArgumentParser

/// Runs workload files.
struct RunCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run workload files and write their result.",
    discussion: """
      Writes result.json.gz, samples.csv.gz and summary.csv.gz after every case, and prints a \
      table at the end. Ctrl-C keeps what is finished.

      Entities, attributes and models that nobody names are chosen by what the store has, and the \
      table says which. With --store, names of a file that this store does not have are left out; \
      those of --set must be there. What the store offers nothing for is left out and said.

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

  @Flag(help: "Keep the last copies that were worked on.")
  var keep = false

  func run(on console: Console) throws -> CommandStatus {
    try debug.check()
    return try RunJob(
      plan: try cases.plan(of: paths, store: made.store, trials: trials.trials),
      output: output.folder(for: paths),
      folder: folder,
      keepsScratch: keep
    ).perform(on: console)
  }
}
