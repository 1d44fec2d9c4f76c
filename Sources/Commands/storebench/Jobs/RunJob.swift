import DataModel
import Foundation
import Measurement
import Reporter
import Runner

/// What `run` does, but for choosing where trials are run.
struct RunJob {
  let plan: Plan
  let output: OutputFolder
  let cacheFolder: String
  let scratchFolder: String
  var keepsScratch = false
  let executor: any TrialExecutor
  var isStopped: @Sendable () -> Bool = { false }

  /// Runs the plan, saves after every case, and prints the table.
  ///
  /// What was finished is saved and shown also when the run was told to stop.
  func perform(on console: Console) throws -> CommandStatus {
    for warning in plan.warnings { console.complain(warning.description) }
    let time = Date.now
    let estimate = try PlanEstimate(plan, cacheFolder: cacheFolder)
    try estimate.checkDisk(cacheFolder: cacheFolder, scratchFolder: scratchFolder)
    let folder = try output.make(at: time)
    let scratch = try ScratchFolder(in: scratchFolder)
    let line = ProgressLine(console, now: { ProcessInfo.processInfo.systemUptime })
    defer {
      line.clear()
      keepsScratch ? keep(scratch, console) : scratch.remove()
    }
    var saved: ResultDocument?
    let run = Run(
      plan: plan,
      environment: RunTime.environment(at: time, workFolder: scratch.path),
      stores: StoreLibrary(cacheFolder: cacheFolder, progress: { line.take($0) }),
      executor: executor,
      scratch: scratch,
      isStopped: isStopped,
      save: { document in
        try RunFolder(path: folder).write(document)
        saved = document
      },
      events: { line.take($0) }
    )
    do {
      let document = try run.perform()
      return show(document, folder, line, console)
    } catch RunnerError.interrupted {
      if let saved { _ = show(saved, folder, line, console) }
      line.clear()
      console.complain("interrupted; what was finished is in \(folder)")
      return .interrupted
    }
  }

  private func show(
    _ document: ResultDocument,
    _ folder: String,
    _ line: ProgressLine,
    _ console: Console
  ) -> CommandStatus {
    line.clear()
    let table = ResultTable(isColoured: console.isColoured, width: console.width)
    do {
      console.print(try table.text(of: document))
    } catch {
      console.complain("\(error)")
      return .bug
    }
    for line in plan.remarkLines(width: console.width) { console.complain(line) }
    console.complain("wrote \(folder)/\(RunFolder.resultName)")
    return document.failedCases.isEmpty ? .done : .caseFailed
  }

  private func keep(_ scratch: ScratchFolder, _ console: Console) {
    scratch.keep()
    console.complain("kept \(scratch.path)")
  }
}
