import ArgumentParser
import Basics
import DataModel
import Runner
import SQLite

struct PlanCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Check workload files and list their cases, without running them.",
    discussion: """
      With --output, also writes a plan file for several machines: cases, stores, settings, \
      predicted costs and a hash. 'run --plan' runs a part of the plan, 'merge' joins the results: \
      docs/measuring.md.

      EXAMPLE: storebench plan Workloads/fetch --filter '*batched*'
      EXAMPLE: storebench plan Workloads/main --output plan.json
      """
  )

  @Argument(
    help: ArgumentHelp("Workload files, or folders of them.", valueName: "file")
  )
  var paths: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Also write the plan to this file.", valueName: "file")
  )
  var output: String?

  @OptionGroup var made: StoreOption
  @OptionGroup var trials: TrialsOption
  @OptionGroup var cases: ParameterOptions
  @OptionGroup var folder: WorkFolderOption

  func run(on console: Console) throws -> CommandStatus {
    let plan = try cases.plan(
      of: paths.map(InstalledFiles.resolved),
      for: console.program,
      store: made.store,
      model: made.model,
      trials: trials.trials,
      variesAssumptions: true
    )
    for warning in plan.warnings { console.note(warning.description) }
    let estimate = try PlanEstimate(plan, cacheFolder: folder.cacheFolder)
    console.show(plan.report(estimate, freeBytes: FreeDisk.bytes(at: folder.workFolder)))
    guard let output else { return .done }
    let document = try PlanDocument(
      of: plan,
      command: PlanDocument.Command(
        files: paths,
        store: made.store,
        model: made.model.model,
        trials: trials.trials,
        filter: cases.filter,
        set: cases.parameters
      ),
      machine: PlanDocument.Requirement(
        sqliteSourceID: Library.sourceID,
        sqliteVersion: Library.version,
        build: EnvironmentProbe.isDebug ? "debug" : "release",
        diskBytes: estimate.bytes
      )
    )
    try PlanFile.write(document, to: output)
    let tasks = Figures.counted(document.tasks.count, "task")
    console.note("wrote \(output): plan \(document.hash.prefix(12)), \(tasks)")
    return .done
  }
}

struct PlanPart: ParsableArguments {
  @Option(
    name: .customLong("plan"),
    help: ArgumentHelp(
      """
      Run this plan, written by 'plan --output', instead of workload files.
      """,
      valueName: "file"
    )
  )
  var path: String?

  @Option(
    help: ArgumentHelp(
      """
      Only this part of the plan, such as 3/16. The parts have about equal predicted costs; every \
      machine makes the same parts.
      """,
      valueName: "i/n"
    )
  )
  var shard: String?

  @Option(
    name: .customLong("case"),
    help: ArgumentHelp(
      """
      Run only this case (its ID or, with --plan, the number of its task) and the cases that it is \
      compared with.
      """,
      valueName: "id"
    )
  )
  var name: String?

  @Option(
    help: ArgumentHelp(
      """
      Number of this attempt, for jobs that are retried. If several attempts finish, 'merge' \
      uses the highest number.
      """,
      valueName: "number"
    )
  )
  var attempt: Int?

  func validate() throws {
    if path == nil, shard != nil || name != nil || attempt != nil {
      throw ValidationError("'--shard', '--case' and '--attempt' need '--plan'")
    }
    if shard != nil, name != nil {
      throw ValidationError(
        "'--shard' and '--case' both choose a part of the plan; use one of them"
      )
    }
    if let shard, Shard(shard) == nil {
      throw ValidationError(
        "'--shard' must be a part and the number of parts (at most \(Shard.most)), such as 3/16, "
          + "not '\(shard)'"
      )
    }
    if let attempt, !(1...1_000_000).contains(attempt) {
      throw ValidationError("'--attempt' must be from 1 to 1000000, not \(attempt)")
    }
  }

  struct Work {
    let document: PlanDocument
    let plan: Plan
    /// The name of the selected part of the plan: `shard 3/16`, `case ID` or `all`.
    let name: String
    let attempt: Int

    func assignment(in environment: Environment) throws -> PlannedRun.Assignment {
      if let obstacle = document.machine.obstacle(on: environment) {
        throw Refusal.badInput(
          "the plan needs \(obstacle.fact) \(obstacle.required), but this machine "
            + "has \(obstacle.found): use the image on which the plan was made, or plan again here"
        )
      }
      return PlannedRun.Assignment(
        document: document,
        run: try PlannedRun(attempt: attempt, part: name, environment: environment)
      )
    }
  }

  /// Reads the plan, plans its files again and selects the part; `nil` if '--plan' is not given.
  ///
  /// - Throws: ``Refusal`` if the files now give a different plan.
  func work(for program: Program) throws -> Work? {
    guard let path else { return nil }
    let document = try PlanFile.read(path)
    let command = document.command
    var options = ParameterOptions()
    (options.parameters, options.filter) = (command.set, command.filter)
    var model = StoreModelOption()
    model.model = command.model
    let plan = try options.plan(
      of: command.files.map(InstalledFiles.resolved),
      for: program,
      store: command.store,
      model: model,
      trials: command.trials,
      variesAssumptions: true
    )
    let now = try PlanDocument(of: plan, command: command, machine: document.machine)
    guard now == document else {
      throw Refusal.badInput(
        "the plan '\(path)' does not match its workload files: "
          + "\(document.change(to: now)); check out the files from which it was made, or plan again"
      )
    }
    let (tasks, part) = try self.tasks(of: document)
    return Work(document: document, plan: plan.keeping(tasks), name: part, attempt: attempt ?? 1)
  }

  private func tasks(
    of document: PlanDocument
  ) throws -> (tasks: [PlanDocument.Task], part: String) {
    if let shard = shard.flatMap({ Shard($0) }) {
      return (document.split(into: shard.count)[shard.index - 1], "shard \(shard)")
    }
    guard let name else { return (document.tasks, "all") }
    guard let task = document.task(name) else {
      throw Refusal.misuse(
        "the plan has no case and no task '\(name)'; case IDs look like "
          + "'\(document.caseIDs.first ?? "")'"
      )
    }
    return ([task], "case \(task.cases[0].id)")
  }
}
