import Basics
import DataModel
import Foundation
import PersistentStore
import Reporter
import Runner

/// Runs a plan and writes its result.
struct RunJob {
  let plan: Plan
  /// The part of a plan document that it is.
  let work: PlanPart.Work?
  let output: OutputFolder
  let folder: WorkFolderOption
  /// Where the statements of a further trial of each case are logged.
  let log: SQLDebugWriter.Options?

  /// Runs the plan, saves after every case, and prints the table.
  ///
  /// What was finished is saved and shown also when the run was told to stop.
  func perform(on console: Console) throws -> CommandStatus {
    Signals.listen()
    for warning in plan.warnings { console.note(warning.description) }
    let time = Date.now
    try PlanEstimate(plan, cacheFolder: folder.cacheFolder).checkDisk(
      cacheFolder: folder.cacheFolder,
      scratchFolder: folder.scratchFolder
    )
    let log = try makeLog()
    let target = try output.make(at: time)
    return try Workspace.use(folder, on: console) { space in
      var saved: ResultDocument?
      let output = RunFolder(path: target)
      let times = TimeSpent()
      let environment = space.environment(at: time)
      let run = Run(
        plan: plan,
        environment: environment,
        stores: space.stores(),
        executor: try Executable.worker(),
        scratch: space.scratch,
        log: log,
        assignment: try assignment(in: environment),
        times: times,
        isStopped: { Signals.isStopped() },
        save: { document in
          saved = document
          try output.write(document)
        },
        events: { space.line.take($0) }
      )
      do {
        return try show(run.perform(), target, times, space)
      } catch RunnerError.interrupted {
        if let saved { _ = try show(saved, target, times, space) }
        space.line.clear()
        console.note("interrupted; the finished cases are in \(target)")
        return .interrupted
      }
    }
  }

  /// What the run is of a plan; throws where the plan does not allow this machine.
  private func assignment(in environment: Environment) throws -> PlannedRun.Assignment? {
    guard let work else { return nil }
    if let obstacle = work.document.machine.obstacle(on: environment) {
      throw RunnerError.otherMachine(
        fact: obstacle.fact,
        required: obstacle.required,
        found: obstacle.found
      )
    }
    return PlannedRun.Assignment(
      document: work.document,
      run: try PlannedRun(attempt: work.attempt, part: work.name, environment: environment)
    )
  }

  /// Makes the file of the log, at a path that workers find from any folder.
  ///
  /// - Throws: ``RunnerError/cannotWrite(path:reason:)``, also where there is a file already.
  private func makeLog() throws -> SQLDebugWriter.Options? {
    guard var log else { return nil }
    let file = System.open(log.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
    guard file >= 0 else {
      throw RunnerError.cannotWrite(path: log.path, reason: System.errorText())
    }
    close(file)
    log.path = URL(fileURLWithPath: log.path).path
    return log
  }

  private func show(
    _ document: ResultDocument,
    _ folder: String,
    _ times: TimeSpent,
    _ space: Workspace
  ) throws -> CommandStatus {
    let console = space.console
    space.line.clear()
    let table = ResultTable(isColoured: console.isColoured, width: console.width)
    console.print(try table.text(of: document))
    try RunFolder(path: folder).writeReport(of: document)
    for line in plan.remarkLines(width: console.width) { console.note(line) }
    if let work, work.plan.caseCount == 0 {
      console.note("\(work.name) contains no case of the plan")
    }
    console.note("time \(times.text)")
    console.note("wrote \(folder)/\(RunFolder.resultName)")
    console.note("wrote \(folder)/\(RunFolder.reportName)")
    if let log {
      console.note(
        "wrote \(log.path) with the statements of one additional trial of "
          + "each case"
      )
    }
    return CommandStatus(of: document)
  }
}

/// Where a run's result goes: a folder somebody chose, or a new one of the run's own.
struct OutputFolder {
  private static let runs = "Results/runs"

  /// `nil` for a folder under `Results/runs`.
  let chosen: String?
  /// What the run is called there, after the time.
  let name: String
  let isReplacing: Bool

  /// A name from the paths that were given: that of the first.
  static func name(of paths: [String]) -> String {
    let first = paths.first.map { URL(fileURLWithPath: $0).deletingPathExtension() }
    let name = first?.lastPathComponent ?? ""
    return name.isEmpty || name == "/" ? "run" : name
  }

  /// Makes the folder and checks that it can be written to, before anything is run.
  ///
  /// A folder that was chosen is made in a folder that is there: a misspelt path makes no tree.
  func make(at time: Date) throws -> String {
    guard let chosen else { return try makeOwn(at: time) }
    if mkdir(chosen, 0o755) != 0, errno != EEXIST {
      guard errno == ENOENT else { throw failure(chosen) }
      let parent = URL(fileURLWithPath: chosen).deletingLastPathComponent().relativePath
      throw RunnerError.cannotWrite(
        path: chosen,
        reason: "there is no folder '\(parent)'; make it first"
      )
    }
    let result = chosen + "/" + RunFolder.resultName
    if !isReplacing, FileManager.default.fileExists(atPath: result) {
      throw StorebenchError.hasResult(folder: chosen)
    }
    let probe = chosen + "/.storebench-\(getpid())"
    let descriptor = System.open(probe, O_WRONLY | O_CREAT | O_EXCL)
    guard descriptor >= 0 else { throw failure(chosen) }
    close(descriptor)
    unlink(probe)
    return chosen
  }

  private func makeOwn(at time: Date) throws -> String {
    do {
      try FileManager.default.createDirectory(
        atPath: Self.runs,
        withIntermediateDirectories: true
      )
      UntrackedFolder.mark(Self.runs)
    } catch {
      throw failure(Self.runs)
    }
    // Such as 20260401T093000Z, in UTC.
    let stamp = time.formatted(.iso8601).filter { character in !"-:".contains(character) }
    for number in 1...1000 {
      let folder = "\(Self.runs)/\(stamp)-\(name)" + (number == 1 ? "" : "-\(number)")
      if mkdir(folder, 0o755) == 0 { return folder }
      guard errno == EEXIST else { throw failure(folder) }
    }
    throw failure(Self.runs)
  }

  private func failure(_ path: String) -> RunnerError {
    .cannotWrite(path: path, reason: System.errorText())
  }
}
