import ArgumentParser
import Basics
import Compare
import DataModel
import Forecasting
import Foundation
import Reporting
import Runner

struct GrowthCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "growth",
    abstract: "Check that no cost grows faster with the store than its workload file declares.",
    discussion: """
      Runs the cases of workload files with the key 'grows' on stores of three sizes: 1, 4 and 16 \
      times the objects of their recipe. Exact counters repeat, so one run of each size shows how a \
      cost grows, without noise. A workload file declares it:

        grows: { sqlite.vmSteps: n, vfs.wal.writeBytes: n log n }

      With --against, the files of another commit are run too, by this program, and the costs of \
      the largest store are shown before and after.

      Exit status: 0 no cost grows faster than declared; 1 a case failed; 2 a cost grows faster, or \
      passes a limit of a launch that it did not pass before; 65 bad input, such as files without \
      'grows'.

      EXAMPLE: storebench growth Workloads/ci --population users.csv
      EXAMPLE: storebench growth Workloads/ci --against git:main
      """
  )

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text
    case github
    case markdown
    case html
  }

  @Argument(
    help: ArgumentHelp("Workload files, or folders of them.", valueName: "file"),
    transform: InstalledFiles.resolved
  )
  var paths: [String]

  @Option(
    help: ArgumentHelp(
      """
      CSV file with the sizes of users' stores, as for 'forecast': shows what a growth means for the \
      largest.
      """,
      valueName: "file"
    )
  )
  var population: String?

  @Option(help: ArgumentHelp("The state before: git:main.", valueName: "git:revision"))
  var against: String?

  @Option(help: "text, github (annotations), markdown or html.")
  var format = Format.text

  @OptionGroup var cases: ParameterOptions
  @OptionGroup var folder: WorkFolderOption

  func validate() throws {
    guard let against, !against.hasPrefix("git:") || against == "git:" else { return }
    throw ValidationError("'--against' must be a commit such as git:main, not '\(against)'")
  }

  func run(on console: Console) throws -> CommandStatus {
    // A debug build is allowed, because its counters are the same as in a release build; only the
    // times derived from them differ.
    let plan = try cases.plan(of: paths, for: console.program, store: nil, model: nil)
    Signals.listen()
    for warning in plan.warnings { console.note(warning.description) }
    return try Workspace.use(folder, on: console) { space in
      let environment = space.environment(at: Date.now)
      let (stores, worker) = (space.stores(), try Executable.worker())
      let run = GrowthRun(plan) { plan in
        try Run(
          plan: plan,
          environment: environment,
          stores: stores,
          executor: worker,
          scratch: space.scratch,
          isProfiled: false,
          isStopped: { Signals.isStopped() },
          events: { space.line.take($0) }
        ).perform()
      }
      guard !run.isEmpty else {
        throw Refusal.badInput(
          "no workload file declares how its costs grow: add a line such as "
            + "'grows: { sqlite.vmSteps: n }'"
        )
      }
      let earlier = try earlierPlan(console.program)
      let outcome = try run.outcome()
      let before = try earlier.map { try run.earlier($0).outcome() }
      let largest = try population.map { path in
        let text = try QuestionOptions.text(of: path)
        return try PopulationFile(csv: text, path: path, shape: outcome.shape)
          .population(of: outcome.shape).largest
      }
      space.line.clear()
      let report = GrowthReport(outcome, largest: largest, before: before)
      switch format {
      case .text, .html: console.show(report.report, asPage: format == .html)
      case .markdown: console.printDocument(report.report.markdown)
      case .github: console.write(report.annotations)
      }
      return CommandStatus(code: report.exitStatus)
    }
  }

  /// The plan of the files at the commit to compare with; `nil` if '--against' is not given.
  private func earlierPlan(_ program: Program) throws -> Plan? {
    guard let against else { return nil }
    var builder = SideBuilder(
      paths: paths,
      kinds: program.kinds,
      overrides: try cases.overrides(store: nil, model: nil),
      filter: cases.filter,
      executable: try Executable.path(),
      cacheFolder: folder.workFolder
    )
    builder.buildsRevisions = false
    return try builder.base(SideText(against), named: against).plan
  }
}
