import ArgumentParser
import DataModel
import Reporter
import Runner

/// Checks workload files and lists their cases.
struct PlanCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Check workload files and list their cases, without running them.",
    discussion: "EXAMPLE: storebench plan Workloads/fetch --filter '*batched*'"
  )

  @Argument(
    help: ArgumentHelp("Workload files, or folders of them.", valueName: "file"),
    transform: InstalledFiles.resolved
  )
  var paths: [String]

  @OptionGroup var made: StoreOption
  @OptionGroup var trials: TrialsOption
  @OptionGroup var cases: ParameterOptions
  @OptionGroup var folder: WorkFolderOption

  func run(on console: Console) throws -> CommandStatus {
    let plan = try cases.plan(
      of: paths,
      for: console.program,
      store: made.store,
      model: made.model,
      trials: trials.trials
    )
    for warning in plan.warnings { console.note(warning.description) }
    let listing = PlanListing(
      plan: plan,
      estimate: try PlanEstimate(plan, cacheFolder: folder.cacheFolder),
      freeBytes: FreeDisk.bytes(at: folder.workFolder),
      width: console.width
    )
    console.print(listing.lines.joined(separator: "\n"))
    return .done
  }
}
