import Foundation
import Measurement
import Reporter
import Runner
import WorkloadKinds

/// What `selftest` does.
struct SelftestJob {
  let cases: String
  let seconds: Double
  let seed: UInt64
  let folder: WorkFolderOption
  let isStopped: @Sendable () -> Bool

  /// Runs the self-test and prints its rates, also when it was told to stop.
  func perform(on console: Console) throws -> CommandStatus {
    let time = Date.now
    let scratch = try ScratchFolder(in: folder.scratchFolder)
    let line = ProgressLine(console, now: { ProcessInfo.processInfo.systemUptime })
    defer {
      line.clear()
      scratch.remove()
    }
    let selftest = try Selftest(
      folder: cases,
      kinds: WorkloadCatalog.kinds,
      executable: try Executable.path(),
      provider: StoreLibrary(cacheFolder: folder.cacheFolder, progress: { line.take($0) }),
      scratch: scratch,
      seed: seed,
      isStopped: isStopped,
      progress: { line.take($0) }
    )
    var report = try selftest.perform(seconds: seconds)
    report.environment = RunTime.environment(at: time, workFolder: scratch.path)
    line.clear()
    let table = SelftestTable(isColoured: console.isColoured, width: console.width)
    console.print(table.text(of: report))
    return report.isInterrupted ? .interrupted : CommandStatus(code: report.exitStatus)
  }
}
