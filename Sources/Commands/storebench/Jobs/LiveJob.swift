import DataModel
import Foundation
import Measurement
import Reporter
import Runner

/// What `run --against` does, but for choosing the sides.
struct LiveJob {
  let matching: LiveMatching
  let options: AgainstOptions
  let output: OutputFolder
  let folder: WorkFolderOption
  let isStopped: @Sendable () -> Bool

  /// Compares the cases that both sides have, and writes and prints the result.
  ///
  /// What was finished is written and shown also when the comparison was told to stop.
  func perform(on console: Console) throws -> CommandStatus {
    let time = Date.now
    let outputFolder = try output.make(at: time)
    let scratch = try ScratchFolder(in: folder.scratchFolder)
    let line = LiveProgressLine(console, now: { ProcessInfo.processInfo.systemUptime })
    defer {
      line.clear()
      scratch.remove()
    }
    let runner = LiveRunner(
      provider: StoreLibrary(cacheFolder: folder.cacheFolder, progress: { line.take($0) }),
      scratch: scratch,
      isStopped: isStopped
    )
    var result = try runner.compare(
      LiveSuite(
        cases: matching.cases,
        policy: options.policy,
        budget: options.budgetSeconds,
        seed: options.seed
      ),
      events: { line.take($0) }
    )
    result.onlyInBase = matching.onlyInBase
    result.onlyInHead = matching.onlyInHead
    result.environment = RunTime.environment(at: time, workFolder: scratch.path)
    line.clear()
    try RunFolder(path: outputFolder).write(result)
    let table = LiveTable(isColoured: console.isColoured, width: console.width)
    console.print(table.text(of: result))
    console.complain("wrote \(outputFolder)/\(RunFolder.liveName)")
    guard !result.isInterrupted else { return .interrupted }
    return CommandStatus(code: result.exitStatus(requiresVerdict: options.requireVerdict))
  }
}
