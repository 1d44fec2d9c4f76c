import ArgumentParser
import Basics
import Runner
import SQLite

struct CrashTestCommand: ConsoleCommand {
  private static let usualKills = 100

  static let configuration = CommandConfiguration(
    commandName: "crash-test",
    abstract:
      "Kill running cases that write, or simulate a full disk, and check that nothing is lost.",
    usage: """
      storebench crash-test <file>... [--kills <kills> [--full-disk] | --at <point>] [<option>]...
      storebench crash-test <file>... --watchdog <time> [<option>]...
      """,
    discussion: """
      Half of the kills are by SIGKILL, half by a simulated loss of power. The state after each \
      kill is checked and printed; no result is written. With --full-disk, the disk becomes \
      full at some point instead, and the error message must say how much space to free. With \
      --watchdog, every launch is killed after the same time instead.

      A migration is launched again, and must end in the same state as one that was not killed. \
      Other kinds must leave an undamaged store that contains every save up to some point, and \
      nothing of any later save.

      Exit status: 1 if an object was lost or doubled, if a save was lost or kept in part, or if \
      the final state after a kill differs from that of a run that was not killed.

      EXAMPLE: storebench crash-test Workloads/kills --kills 1000
      """
  )

  @Argument(
    help: ArgumentHelp("Workload files, or folders of them.", valueName: "file"),
    transform: InstalledFiles.resolved
  )
  var paths: [String]

  @Option(help: "Number of launches to kill. (default: \(Self.usualKills))")
  var kills: Int?

  @Flag(help: "Simulate a full disk at each point, in place of a kill.")
  var fullDisk = false

  @Option(
    help: ArgumentHelp(
      """
      Repeat a failure: kill one launch of each case just before the point that the failure printed, \
      such as write:17 (SIGKILL before the 17th write), write:17:4711 (power loss with the random \
      seed 4711) or write:17:full (full disk).
      """,
      valueName: "point"
    )
  )
  var at: String?

  @Option(
    help: ArgumentHelp(
      "Kill each launch after this time, such as 20s, and launch again, five more times.",
      valueName: "time"
    )
  )
  var watchdog: String?

  @Option(help: "Random seed of the kills. (default: 1)")
  var seed: UInt64?

  @OptionGroup var made: StoreOption
  @OptionGroup var cases: ParameterOptions
  @OptionGroup var folder: WorkFolderOption
  @OptionGroup var debug: DebugOption

  private var limit: Double? { watchdog.flatMap { Quantity.seconds($0, in: 0.001...3600) } }

  func validate() throws {
    guard [kills != nil, at != nil, watchdog != nil].count(where: { $0 }) < 2 else {
      throw ValidationError(
        "'--kills', '--at' and '--watchdog' exclude each other: use one of them"
      )
    }
    if let kills, !(1...1_000_000).contains(kills) {
      throw ValidationError("'--kills' must be from 1 to 1000000, not \(kills)")
    }
    if let at, KillPoint(at) == nil {
      throw ValidationError(
        "'--at' must be a point such as write:17, write:17:4711 or write:17:full, not '\(at)'"
      )
    }
    if let watchdog, limit == nil {
      throw ValidationError("'--watchdog' must be a time such as 20s or 0.5s, not '\(watchdog)'")
    }
    if fullDisk, at != nil || watchdog != nil {
      throw ValidationError(
        "'--full-disk' is for '--kills': use '--at write:17:full' for one point"
      )
    }
    if seed != nil, at != nil || watchdog != nil {
      throw ValidationError("'--seed' is for '--kills'")
    }
    if debug.allowDebug, watchdog == nil {
      throw ValidationError("'--allow-debug' needs '--watchdog': other kills measure no times")
    }
  }

  /// Kills the processes that run the cases, and prints the states of the stores after the kills,
  /// even if the command is stopped early.
  func run(on console: Console) throws -> CommandStatus {
    if watchdog != nil { try debug.check() }
    let plan = try cases.plan(of: paths, for: console.program, store: made.store, model: made.model)
    guard plan.workloads.contains(where: { !$0.killableCases.isEmpty }) else {
      throw Refusal.misuse("no case writes anything: 'crash-test' is for cases that change a store")
    }
    if watchdog != nil, let other = plan.workloads.first(where: { !$0.isRestartable }) {
      throw Refusal.misuse(
        "'--watchdog' is for kinds that go on at the next launch, such as "
          + "migrations: '\(other.file.kind.name)' does not"
      )
    }
    Signals.listen()
    return try Workspace.use(folder, on: console) { space in
      let cases = LaunchedCases(
        plan: plan,
        stores: space.stores(),
        launcher: try Executable.worker(),
        scratch: space.scratch,
        isStopped: { Signals.isStopped() }
      )
      return try limit.map { try watch(cases, $0, space) } ?? kill(cases, space)
    }
  }

  private func kill(_ cases: LaunchedCases, _ space: Workspace) throws -> CommandStatus {
    let seed = seed ?? 1
    let point = at.flatMap { KillPoint($0) }.map { KillChoice.point($0) }
    let count = KillChoice.count(kills ?? Self.usualKills, seed: seed, fillsDisk: fullDisk)
    let run = KillRun(cases, choice: point ?? count) { id, done, total in
      space.line.take(done, of: total, id)
    }
    let (report, isInterrupted) = try run.perform()
    space.line.clear()
    space.console.show(report.report(seed: seed))
    return isInterrupted ? .interrupted : report.hasFailed ? .caseFailed : .done
  }

  private func watch(
    _ cases: LaunchedCases,
    _ seconds: Double,
    _ space: Workspace
  ) throws -> CommandStatus {
    let run = WatchdogRun(cases, seconds: seconds) { id, launch in
      space.line.take(launch == 0 ? "\(id): undisturbed" : "\(id): launch \(launch)")
    }
    let (watched, isInterrupted) = try run.perform()
    space.line.clear()
    space.console.show(watched.report(seconds: seconds))
    return isInterrupted ? .interrupted : watched.contains(where: \.hasFailed) ? .caseFailed : .done
  }
}
