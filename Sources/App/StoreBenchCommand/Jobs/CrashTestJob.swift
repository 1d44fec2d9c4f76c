import Reporter
import Runner

/// Kills launches and prints what they have left.
struct CrashTestJob {
  let plan: Plan
  /// Seconds after which every launch is killed, in place of kills at events.
  let watchdog: Double?
  let kills: KillChoice
  let seed: UInt64
  let folder: WorkFolderOption

  /// Kills and prints what it has left, also when it was told to stop.
  func perform(on console: Console) throws -> CommandStatus {
    guard plan.workloads.contains(where: { !$0.killableCases.isEmpty }) else {
      throw StorebenchError.nothingToKill
    }
    if watchdog != nil, let other = plan.workloads.first(where: { !$0.isRestartable }) {
      throw StorebenchError.nothingToRestart(other.file.kind.name)
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
      return try watchdog.map { try watch(cases, $0, space) } ?? kill(cases, space)
    }
  }

  private func kill(_ cases: LaunchedCases, _ space: Workspace) throws -> CommandStatus {
    let run = KillRun(cases, choice: kills) { id, done, total in
      space.line.take(done, of: total, id)
    }
    let (report, isInterrupted) = try run.perform()
    space.line.clear()
    space.console.print(KillTable(report: report, seed: seed, width: space.console.width).text)
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
    space.console.print(
      WatchdogTable(cases: watched, seconds: seconds, width: space.console.width).text
    )
    return isInterrupted ? .interrupted : watched.contains(where: \.hasFailed) ? .caseFailed : .done
  }
}
