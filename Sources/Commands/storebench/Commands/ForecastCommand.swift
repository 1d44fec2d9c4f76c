import ArgumentParser
import Foundation
import Runner
import WorkloadKinds

/// Tells what a migration is going to take on stores of any size.
struct ForecastCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "forecast",
    abstract: "Predict a migration's time, memory and disk on larger stores.",
    usage: "storebench forecast <file>... [--to <size>...] [<option>]...",
    discussion: """
      Measures the migration on a ladder of sizes, 1,000 to 64,000 objects, and learns how its \
      cost grows. Every answer has a 90 % interval; what cannot be known is refused. The ladder is \
      kept: Ctrl-C loses one run, and the same command goes on where it was. Strategies, those of \
      several files and of every axis, are compared for stores of one recipe.

      A population is a CSV of users' stores with 'objects', 'bytes' or counts such as \
      'task_count', and 'users' where a line stands for several; of quantiles ('quantile', \
      'objects'); or a histogram ('from', 'to', 'users'; 'from_bytes', 'to_bytes'). Observed \
      migrations have 'duration_seconds' beside the size, and 'device' where it is known.

      EXAMPLE: storebench forecast Workloads/migration/lightweight.yaml --ladder quick
      EXAMPLE: storebench forecast migration.yaml --like App.sqlite --population users.csv
      """
  )

  @Argument(help: ArgumentHelp("Workload files of the kind migration.", valueName: "file"))
  var files: [String]

  @Option(help: ArgumentHelp("Make the stores like this one, or a profile.", valueName: "store"))
  var like: String?

  @OptionGroup var questions: QuestionOptions

  @Option(help: "full: 13 sizes to 64,000 objects, 5 runs each; quick: 9 to 16,000, 2 runs.")
  var ladder: ForecastLadder = .full

  @Option(
    name: .customLong("set"),
    parsing: .singleValue,
    help: ArgumentHelp(
      "Set a parameter, as the workload file would: --set 'batchSize=[100, 1000]'.",
      valueName: "name=value"
    )
  )
  var parameters: [String] = []

  @Option(help: "Only cases whose ID fits; '*' stands for any text.")
  var filter: String?

  @Flag(help: "Measure anew what was kept, such as on a machine that was busy.")
  var again = false

  @Option(help: "text or json.")
  var format: ForecastFormat = .text

  @OptionGroup var folder: WorkFolderOption

  @Flag(help: "Measure although this is a debug build.")
  var allowDebug = false

  func validate() throws {
    for parameter in parameters where OverrideOptions.split(parameter) == nil {
      throw ValidationError("'--set \(parameter)' must be name=value, such as batchSize=20")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    if EnvironmentProbe.isDebug, !allowDebug { throw StorebenchError.debugBuild }
    let plan = try Plan(
      paths: files,
      kinds: WorkloadCatalog.kinds,
      overrides: Overrides(
        store: like,
        parameters: parameters.compactMap(OverrideOptions.split)
      ),
      filter: filter
    )
    Signals.listen()
    let job = ForecastJob(
      plan: plan,
      like: like,
      design: ladder.design,
      questions: questions,
      format: format,
      cacheFolder: folder.cacheFolder,
      scratchFolder: folder.scratchFolder,
      keepFolder: folder.workFolder + "/forecast",
      measuresAgain: again,
      executor: WorkerProcess(
        executable: try Executable.path(),
        // Processors of one machine differ in speed by more than a forecast may err.
        processor: plan.hasConcurrentCases ? nil : .current,
        isStopped: { Signals.isStopped() }
      ),
      isStopped: { Signals.isStopped() }
    )
    return try job.perform(on: console)
  }
}
