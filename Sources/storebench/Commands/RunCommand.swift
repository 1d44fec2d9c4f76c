import ArgumentParser
import Foundation
import Runner
import WorkloadKinds

/// Runs workload files.
struct RunCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run workload files and write their result.",
    discussion: """
      Writes result.json.gz, samples.csv.gz and summary.csv.gz after every case, and prints a \
      table at the end. Ctrl-C keeps what is finished.

      EXAMPLE: storebench run Workloads/fetch --store App.sqlite --set entity=Task
      """
  )

  @Argument(help: ArgumentHelp("Workload files, or folders of them.", valueName: "file"))
  var paths: [String]

  @OptionGroup var overrides: OverrideOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The folder of the result; a new one under Results/runs otherwise.",
      valueName: "folder"
    )
  )
  var output: String?

  @OptionGroup var folder: WorkFolderOption

  @Flag(help: "Replace a result in the output folder.")
  var force = false

  @Flag(help: "Measure although this is a debug build.")
  var allowDebug = false

  @Flag(help: "Keep the last copies that were worked on.")
  var keep = false

  func run(on console: Console) throws -> CommandStatus {
    if EnvironmentProbe.isDebug, !allowDebug { throw StorebenchError.debugBuild }
    let plan = try Plan(
      paths: paths,
      kinds: WorkloadCatalog.kinds,
      overrides: overrides.overrides,
      filter: overrides.filter
    )
    Signals.listen()
    let job = RunJob(
      plan: plan,
      output: OutputFolder(chosen: output, name: OutputFolder.name(of: paths), isReplacing: force),
      cacheFolder: folder.cacheFolder,
      scratchFolder: folder.scratchFolder,
      keepsScratch: keep,
      executor: WorkerProcess(
        executable: try Executable.path(),
        isStopped: { Signals.isStopped() }
      ),
      isStopped: { Signals.isStopped() }
    )
    return try job.perform(on: console)
  }
}
