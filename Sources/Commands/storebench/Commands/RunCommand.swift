import ArgumentParser
import DataModel
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

      With --against, two sides are compared live instead: in turns of a few milliseconds, each \
      block in fresh processes, until every case has a verdict or the budget is spent. Exit \
      status: 1 where a case failed, 2 where one got slower by the floor or more, 3 with \
      --require-verdict where it cannot tell.

      Entities, attributes and models that nobody names are chosen by what the store has, and the \
      table says which. With --store, names of a file that this store does not have are left out; \
      those of --set must be there. What the store offers nothing for is left out and said.

      With --kill or --watchdog, migrations are killed and launched again, and what each kill \
      leaves is read and printed; nothing is measured or written. Exit status: 1 where an object \
      was lost or doubled, or a launch after a kill did not end as an undisturbed one.

      EXAMPLE: storebench run Workloads/fetch --store App.sqlite --set entity=Task
      EXAMPLE: storebench run Workloads/fetch --against git:main --budget 5m
      EXAMPLE: storebench run Workloads/kills --kill 1000
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

  @OptionGroup(title: "Comparing live") var comparison: AgainstOptions

  @OptionGroup(title: "Killing launches") var kills: KillOptions

  @OptionGroup var folder: WorkFolderOption

  @Flag(help: "Replace a result in the output folder.")
  var force = false

  @Flag(help: "Measure although this is a debug build.")
  var allowDebug = false

  @Flag(help: "Keep the last copies that were worked on.")
  var keep = false

  func validate() throws {
    guard kills.areAsked else { return }
    for (name, isSet) in [
      ("against", comparison.against != nil), ("output", output != nil), ("force", force),
      ("keep", keep),
    ] where isSet {
      throw ValidationError("'--\(name)' goes with neither '--kill' nor '--watchdog'")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    if EnvironmentProbe.isDebug, !allowDebug, kills.needTimes { throw StorebenchError.debugBuild }
    if let side = comparison.against { return try compare(with: side, on: console) }
    let plan = try Plan(
      paths: paths,
      kinds: WorkloadCatalog.kinds,
      overrides: overrides.overrides,
      filter: overrides.filter
    )
    Signals.listen()
    let worker = WorkerProcess(
      executable: try Executable.path(),
      isStopped: { Signals.isStopped() }
    )
    return try kills.areAsked
      ? kill(plan, by: worker, on: console) : measure(plan, by: worker, on: console)
  }

  private func measure(
    _ plan: Plan,
    by worker: WorkerProcess,
    on console: Console
  ) throws -> CommandStatus {
    try RunJob(
      plan: plan,
      output: outputFolder,
      cacheFolder: folder.cacheFolder,
      scratchFolder: folder.scratchFolder,
      keepsScratch: keep,
      executor: worker,
      isStopped: { Signals.isStopped() }
    ).perform(on: console)
  }

  private func kill(
    _ plan: Plan,
    by worker: WorkerProcess,
    on console: Console
  ) throws -> CommandStatus {
    try KillJob(
      plan: plan,
      options: kills,
      seed: comparison.seed,
      folder: folder,
      launcher: worker,
      isStopped: { Signals.isStopped() }
    ).perform(on: console)
  }

  private var outputFolder: OutputFolder {
    OutputFolder(chosen: output, name: OutputFolder.name(of: paths), isReplacing: force)
  }

  private func compare(with side: String, on console: Console) throws -> CommandStatus {
    let text = try SideText(side)
    let line = ProgressLine(console, now: { ProcessInfo.processInfo.systemUptime })
    let builder = SideBuilder(
      paths: paths,
      kinds: WorkloadCatalog.kinds,
      overrides: overrides.overrides,
      filter: overrides.filter,
      executable: try Executable.path(),
      cacheFolder: folder.workFolder,
      progress: { line.take($0) }
    )
    let head = try builder.head()
    for warning in head.plan.warnings { console.complain(warning.description) }
    let base = try builder.base(text, named: side)
    line.clear()
    Signals.listen()
    return try LiveJob(
      matching: LiveMatching(base: base, head: head),
      options: comparison,
      output: outputFolder,
      folder: folder,
      isStopped: { Signals.isStopped() }
    ).perform(on: console)
  }
}
