import Compare
import DataModel
import Foundation
import Reporter
import Runner

/// Compares workload files with another side, live.
struct LiveJob {
  let paths: [String]
  let against: String
  let overrides: Overrides
  let filter: String?
  let policy: LivePolicy
  /// Seconds.
  let budget: Double
  let requiresVerdict: Bool
  let format: PageFormat
  let output: OutputFolder
  let folder: WorkFolderOption

  /// Compares the cases that both sides have, and writes and prints the result.
  ///
  /// What was finished is written and shown also when the comparison was told to stop.
  func perform(on console: Console) throws -> CommandStatus {
    let matching = try sides(console)
    Signals.listen()
    let time = Date.now
    let outputFolder = try output.make(at: time)
    return try Workspace.use(folder, on: console) { space in
      let runner = LiveRunner(
        provider: space.stores(),
        scratch: space.scratch,
        isStopped: { Signals.isStopped() }
      )
      var result = try runner.compare(
        LiveSuite(
          cases: matching.cases,
          policy: policy,
          budget: budget,
          seed: LiveSuite.freshSeed()
        ),
        events: { space.line.take($0) }
      )
      result.onlyInBase = matching.onlyInBase
      result.onlyInHead = matching.onlyInHead
      result.environment = space.environment(at: time)
      space.line.clear()
      try RunFolder(path: outputFolder).write(result)
      switch format {
      case .text:
        let table = LiveTable(isColoured: console.isColoured, width: console.width)
        console.print(table.text(of: result))
      case .html: console.write(LivePage(of: result).html)
      case .json: console.print(try LiveJSON().text(of: result))
      }
      console.note("wrote \(outputFolder)/\(RunFolder.liveName)")
      console.note("wrote \(outputFolder)/\(RunFolder.reportName)")
      guard !result.isInterrupted else { return .interrupted }
      return CommandStatus(code: result.exitStatus(requiresVerdict: requiresVerdict))
    }
  }

  private func sides(_ console: Console) throws -> LiveMatching {
    let side = try SideText(against)
    return try ProgressLine.during(console) { line in
      let builder = SideBuilder(
        paths: paths,
        kinds: console.program.kinds,
        overrides: overrides,
        filter: filter,
        executable: try Executable.path(),
        cacheFolder: folder.workFolder,
        progress: { line.take($0) }
      )
      let head = try builder.head()
      for warning in head.plan.warnings { console.note(warning.description) }
      return try LiveMatching(base: builder.base(side, named: against), head: head)
    }
  }
}
