import ArgumentParser
import DataModel
import Reporter
import Runner
import WorkloadKinds

/// Checks workload files and lists their cases.
struct PlanCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Check workload files and list their cases, without running them.",
    discussion: "EXAMPLE: storebench plan Workloads/fetch --filter '*batched*'"
  )

  @Argument(help: ArgumentHelp("Workload files, or folders of them.", valueName: "file"))
  var paths: [String]

  @OptionGroup var overrides: OverrideOptions
  @OptionGroup var folder: WorkFolderOption

  func run(on console: Console) throws -> CommandStatus {
    let plan = try Plan(
      paths: paths,
      kinds: WorkloadCatalog.kinds,
      overrides: overrides.overrides,
      filter: overrides.filter
    )
    for warning in plan.warnings { console.complain(warning.description) }
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
