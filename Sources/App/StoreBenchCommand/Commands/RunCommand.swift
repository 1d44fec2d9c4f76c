import ArgumentParser
import Basics
import Compare
import DataModel
import Foundation
import PersistentStore
import Reporting
import Runner

struct RunCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run workload files and write their result.",
    discussion: """
      Writes result.json.gz, samples.csv.gz and summary.csv.gz as cases finish. Prints a table at \
      the end, and writes report.html, a page with charts. Ctrl-C keeps the finished cases.

      If the workload file names no entity, attribute or model, StoreBench chooses one from the \
      store and lists it below the table. With --store, cases that name an entity, attribute or \
      model that the store lacks are skipped and listed; names given with --set must exist.

      Comparisons that the files' trials have not decided get further rounds, up to 20 trials of \
      each case, while the time of --budget suffices. Files with one trial get none, nor does a \
      plan.

      --log writes the statements in the format of an app's SQL log. 'analyze app.log bench.log \
      --compare' then compares the two logs.

      Exit status: 1 if a case failed.

      With --plan, runs a plan of 'plan --output' or a part of it; 'merge' joins the results. From \
      the start, the result contains a row for every case of the plan, also for cases that have \
      not run yet.

      EXAMPLE: storebench run Workloads/fetch --store App.sqlite --set entity=Task
      EXAMPLE: storebench run --plan plan.json --shard 3/16 --output part-3
      """
  )

  @Argument(
    help: ArgumentHelp("Workload files, or folders of them.", valueName: "file"),
    transform: InstalledFiles.resolved
  )
  var paths: [String] = []

  @OptionGroup var part: PlanPart

  @OptionGroup var made: StoreOption
  @OptionGroup var trials: TrialsOption
  @OptionGroup var cases: ParameterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var folder: WorkFolderOption
  @OptionGroup var debug: DebugOption

  @Option(
    help: ArgumentHelp(
      """
      Time for further rounds of comparisons that are not decided: 90s, 10m; 0s for none. \
      (default: 5s; with --trials and in a debug build 0s)
      """,
      valueName: "time"
    )
  )
  var budget: String?

  @Flag(help: "Print all columns, assumptions and notes.")
  var verbose = false

  @Option(
    help: ArgumentHelp(
      """
      Also write each case's statements as an app's SQL log. This takes one more trial, which is \
      not measured.
      """,
      valueName: "file"
    )
  )
  var log: String?

  @Option(
    help: ArgumentHelp(
      """
      Level of the log: 1 statements and times; 2 also values; 3 also objects; 4 also query \
      plans. (default: 2)
      """,
      valueName: "1-4"
    )
  )
  var logLevel: Int?

  func validate() throws {
    guard part.path != nil || !paths.isEmpty else { throw ValidationError("'<file>' is missing") }
    if part.path != nil,
      !paths.isEmpty || made.store != nil || trials.trials != nil || budget != nil
        || !cases.parameters.isEmpty || cases.filter != nil
    {
      throw ValidationError(
        "'--plan' sets files, store, trials and parameters: leave out the options for them"
      )
    }
    if let budget, Self.seconds(of: budget) == nil {
      throw ValidationError("'--budget' must be a time such as 0s, 90s or 10m, not '\(budget)'")
    }
    if let logLevel {
      guard log != nil else { throw ValidationError("'--log-level' is for '--log'") }
      guard (1...4).contains(logLevel) else {
        throw ValidationError("'--log-level' must be from 1 to 4, not \(logLevel)")
      }
    }
  }

  /// Runs the plan, saves results as cases finish, and prints the table.
  ///
  /// If the run is stopped, the finished cases are still saved and shown.
  func run(on console: Console) throws -> CommandStatus {
    try debug.check()
    let work = try part.work(for: console.program)
    let plan = try work?.plan ?? self.plan(for: console.program)
    Signals.listen()
    for warning in plan.warnings { console.note(warning.description) }
    let time = Date.now
    let estimate = try PlanEstimate(plan, cacheFolder: folder.cacheFolder)
    try estimate.checkMemory()
    try estimate.checkDisk(cacheFolder: folder.cacheFolder, scratchFolder: folder.scratchFolder)
    let log = try makeLog()
    let target = try output.folder(for: part.path.map { [$0] } ?? paths).make(at: time)
    return try Workspace.use(folder, on: console) { space in
      let saving = ResultSaving(to: RunFolder(path: target))
      let times = TimeSpent()
      let environment = space.environment(at: time, of: plan.workloads.first?.file.path)
      let run = Run(
        plan: plan,
        environment: environment,
        stores: space.stores(),
        executor: try Executable.worker(),
        scratch: space.scratch,
        log: log,
        filter: cases.filter,
        assignment: try work?.assignment(in: environment),
        rounds: furtherRounds(in: environment),
        times: times,
        isStopped: { Signals.isStopped() },
        save: saving.take,
        events: { space.line.take($0) }
      )
      let ending = Result { try run.perform() }
      try times.keepingResults { try saving.finish() }
      do {
        return try show(ending.get(), of: plan, target, times, space)
      } catch let error where error.isInterruption {
        if let saved = saving.latest { _ = try show(saved, of: plan, target, times, space) }
        space.line.clear()
        console.note(
          saving.latest == nil
            ? "interrupted before the first of \(Figures.counted(plan.caseCount, "case")) was finished"
            : "interrupted; the finished cases are in \(target)"
        )
        return .interrupted
      }
    }
  }

  /// The further rounds (trials of all cases) that a run may add; `nil` if there are none.
  ///
  /// By default, a run has no further rounds if the number of trials is given, or in a debug build,
  /// whose times are meaningless.
  private func furtherRounds(in environment: Environment) -> FurtherRounds? {
    let standard = trials.trials == nil && environment.debugWarning == nil ? 5.0 : 0
    let seconds = budget.flatMap(Self.seconds) ?? standard
    return seconds > 0 ? FurtherRounds(seconds: seconds) : nil
  }

  private static func seconds(of budget: String) -> Double? {
    Quantity.seconds(budget, in: 0...604_800)
  }

  /// Creates the log file; its path is absolute, so that workers find it from any folder.
  ///
  /// - Throws: ``Refusal`` if the file cannot be created or already exists.
  private func makeLog() throws -> SQLDebugWriter.Options? {
    guard let log else { return nil }
    let file = System.open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
    guard file >= 0 else { throw Refusal.cannotWrite(log) }
    close(file)
    return SQLDebugWriter.Options(path: URL(fileURLWithPath: log).path, level: logLevel ?? 2)
  }

  private func show(
    _ document: ResultDocument,
    of plan: Plan,
    _ folder: String,
    _ times: TimeSpent,
    _ space: Workspace
  ) throws -> CommandStatus {
    let console = space.console
    space.line.clear()
    try times.keepingResults {
      let report = document.report
      console.show(verbose ? report : document.brief)
      try RunFolder(path: folder).writeReport(report.html)
    }
    for line in plan.remarkLines(width: console.width) { console.note(line) }
    if let shard = part.shard, plan.caseCount == 0 {
      console.note("shard \(shard) contains no case of the plan")
    }
    console.note("time \(times.text)")
    console.note("wrote \(folder)/\(RunFolder.resultName)")
    console.note("wrote \(folder)/\(RunFolder.reportName)")
    if let log {
      let isEmpty = FileStatus(log).map { $0.size == 0 } ?? true
      let failed = document.failedCases.isEmpty ? "" : "; of a failed case, those up to its failure"
      console.note(
        isEmpty
          ? "'\(log)' is empty: no case ran a statement"
          : "wrote \(log) with the statements of one additional trial of each case\(failed)"
      )
    }
    return CommandStatus(of: document)
  }

  private func plan(for program: Program) throws -> Plan {
    try cases.plan(
      of: paths,
      for: program,
      store: made.store,
      model: made.model,
      trials: trials.trials,
      variesAssumptions: true
    )
  }
}

struct OutputFolder {
  private static let runs = "Results/runs"

  /// The folder that the user chose; `nil` for a new folder in `Results/runs`.
  let chosen: String?
  let name: String
  let isReplacing: Bool

  static func name(of paths: [String]) -> String {
    let first = paths.first.map { URL(fileURLWithPath: $0).deletingPathExtension() }
    let name = first?.lastPathComponent ?? ""
    return name.isEmpty || name == "/" ? "run" : name
  }

  /// Creates the folder and checks that it is writable before anything runs.
  ///
  /// If the user chose the folder, its parent folders are created too, as in `generate`.
  func make(at time: Date) throws -> String {
    guard let chosen else { return try makeOwn(at: time) }
    let parent = URL(fileURLWithPath: chosen).deletingLastPathComponent().relativePath
    try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    if mkdir(chosen, 0o755) != 0, errno != EEXIST { throw failure(chosen) }
    let result = chosen + "/" + RunFolder.resultName
    if !isReplacing, FileManager.default.fileExists(atPath: result) {
      throw Refusal(
        .cannotWrite,
        "'\(chosen)' holds a result already: choose another folder, or pass --force"
      )
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
      try FileManager.default.createDirectory(atPath: Self.runs, withIntermediateDirectories: true)
      UntrackedFolder.mark(Self.runs)
    } catch {
      throw failure(Self.runs)
    }
    // A timestamp such as 20260401T093000Z, in UTC.
    let stamp = time.formatted(.iso8601).filter { character in !"-:".contains(character) }
    for number in 1...1000 {
      let folder = "\(Self.runs)/\(stamp)-\(name)" + (number == 1 ? "" : "-\(number)")
      if mkdir(folder, 0o755) == 0 { return folder }
      guard errno == EEXIST else { throw failure(folder) }
    }
    throw failure(Self.runs)
  }

  private func failure(_ path: String) -> Refusal {
    .cannotWrite(path, reason: System.errorText())
  }
}

/// Runs one trial for the run that started this process.
struct WorkerCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker",
    abstract: "Run one trial. 'storebench run' starts this command itself.",
    shouldDisplay: false
  )

  @Option(help: "Version of the protocol by which two workers take turns.")
  var lockstep: Int

  func validate() throws {
    if lockstep != LockstepWorker.version {
      throw ValidationError("this build uses version \(LockstepWorker.version) of the protocol")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    CommandStatus(code: LockstepWorker.run(kinds: console.program.kinds))
  }
}
