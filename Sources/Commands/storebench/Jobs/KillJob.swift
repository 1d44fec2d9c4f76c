import Foundation
import Reporter
import Runner

/// What `run --kill` and `run --watchdog` do, but for choosing how launches are made.
struct KillJob {
  let plan: Plan
  let options: KillOptions
  let seed: UInt64
  let folder: WorkFolderOption
  let launcher: any Launcher
  var isStopped: @Sendable () -> Bool = { false }

  /// Kills and prints what it has left, also when it was told to stop.
  func perform(on console: Console) throws -> CommandStatus {
    guard plan.workloads.contains(where: \.isKillable) else {
      throw StorebenchError.nothingToKill
    }
    let scratch = try ScratchFolder(in: folder.scratchFolder)
    let line = ProgressLine(console, now: { ProcessInfo.processInfo.systemUptime })
    defer {
      line.clear()
      scratch.remove()
    }
    let cases = LaunchedCases(
      plan: plan,
      stores: StoreLibrary(cacheFolder: folder.cacheFolder, progress: { line.take($0) }),
      launcher: launcher,
      scratch: scratch,
      isStopped: isStopped
    )
    if let seconds = options.watchdog.flatMap(KillOptions.seconds) {
      return try watch(cases, seconds, line, console)
    }
    guard let choice = options.kill.flatMap({ KillOptions.choice($0, seed: seed) }) else {
      return .misuse
    }
    return try kill(cases, choice, line, console)
  }

  private func kill(
    _ cases: LaunchedCases,
    _ choice: KillChoice,
    _ line: ProgressLine,
    _ console: Console
  ) throws -> CommandStatus {
    let run = KillRun(cases, choice: choice) { id, done, total in line.take(done, of: total, id) }
    let (report, isInterrupted) = try run.perform()
    line.clear()
    console.print(KillTable(report: report, seed: seed, width: console.width).text)
    return status(hasFailed: report.hasFailed, isInterrupted)
  }

  private func watch(
    _ cases: LaunchedCases,
    _ seconds: Double,
    _ line: ProgressLine,
    _ console: Console
  ) throws -> CommandStatus {
    let run = WatchdogRun(cases, seconds: seconds) { id, launch in
      line.take(launch == 0 ? "\(id): undisturbed" : "\(id): launch \(launch)")
    }
    let (watched, isInterrupted) = try run.perform()
    line.clear()
    console.print(WatchdogTable(cases: watched, seconds: seconds, width: console.width).text)
    return status(hasFailed: watched.contains(where: \.hasFailed), isInterrupted)
  }

  private func status(hasFailed: Bool, _ isInterrupted: Bool) -> CommandStatus {
    if isInterrupted { return .interrupted }
    return hasFailed ? .caseFailed : .done
  }
}
