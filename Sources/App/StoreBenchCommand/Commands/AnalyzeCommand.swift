import ArgumentParser
import Basics
import DataModel
import Inspector
import PersistentStore
import Runner
import SQLLog

struct AnalyzeCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "analyze",
    abstract: "Find the causes of slow storage work in an app's SQL log.",
    usage: "storebench analyze <log>... [--store <store>] [<option>]...",
    discussion: """
      Reads logs of Core Data and SwiftData (-com.apple.CoreData.SQLDebug 1 to 4), and statements of \
      SQLite: those that an app prints (GRDB's db.trace, sqlite3_trace_v2) and SQLITE_SQLLOG_DIR. Prints findings, the most time-consuming first, each \
      with its log lines and a fix; then tables of statements, entities and saves. Reports contain \
      no bound values. docs/analyze.md documents the rules.

      Exit status: 0 done; 1 an action exceeds a limit or is not in the log; 2 a count of an action \
      is higher than in the baseline; 64 misuse; 65 not a log, or a store of another app; 66 no such \
      log or baseline; 73 cannot write. A log that is truncated or has mixed levels is analyzed, with \
      a note.

      EXAMPLE: storebench analyze app.log

      EXAMPLE: storebench analyze app.log --store default.store --format json

      EXAMPLE: storebench analyze app.log --format html > analysis.html

      With --replay, the statements run again on copies of the store: once unchanged, and once for \
      each finding, with that one repaired. Findings are then ordered by the time that the repair saves.

      EXAMPLE: storebench analyze app.log --store default.store --replay --sizes 1,10

      EXAMPLE: storebench analyze app.log --store default.store --workload list.yaml

      EXAMPLE: storebench analyze app.log --anonymize shared.log

      EXAMPLE: storebench analyze before.log after.log --compare

      EXAMPLE: storebench analyze app.log --actions actions.yaml

      EXAMPLE: storebench analyze app.log --action-marker 'screen: (?<name>.+)'

      EXAMPLE: storebench analyze --behaviors behaviors.log

      A gate for the app's own code (docs/ci.md): counts of each action against a baseline.

      EXAMPLE: storebench analyze app.log --actions actions.yaml --baseline counts.csv --update-baseline
      """
  )

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json, html, junit, github, markdown
  }

  @Argument(
    help: ArgumentHelp(
      "Logs of one app, oldest first, or the folder given by SQLITE_SQLLOG_DIR.",
      valueName: "log"
    )
  )
  var logs: [String]

  @Option(
    help: ArgumentHelp(
      """
      The app's store or its own SQLite file, for names, real indexes and sizes. It is read in place \
      and not changed.
      """,
      valueName: "store"
    )
  )
  var store: String?

  @Option(
    help: ArgumentHelp(
      "The app's model (.xcdatamodeld, .momd, .mom, .yaml, .swift), for names and declared indexes.",
      valueName: "model"
    )
  )
  var model: String?

  @Flag(help: "Compare two logs: statements that are new, removed, more frequent, or slower.")
  var compare = false

  @Option(
    help: ArgumentHelp(
      """
      Check the sections of the log ('actions') that this file defines against its limits on \
      statements, faults, rows and (with --store) pages.
      """,
      valueName: "file"
    ),
    transform: InstalledFiles.resolved
  )
  var actions: String?

  @Option(
    help: ArgumentHelp(
      """
      Regular expression of the lines that the app prints where an action starts: the group 'name' \
      names it, and a match of the group 'end' ends it. Shows what each action costs.
      """,
      valueName: "regex"
    )
  )
  var actionMarker: String?

  @Option(
    help: ArgumentHelp(
      "Compare the exact counts of each action with this file; any increase ends with status 2.",
      valueName: "file"
    )
  )
  var baseline: String?

  @Flag(help: "Write the counts of this log to the file given by '--baseline'.")
  var updateBaseline = false

  @Option(
    help: ArgumentHelp(
      """
      One of text, json, html (one page, no network); for actions also junit, github, markdown.
      """,
      valueName: "name"
    )
  )
  var format = Format.text

  @Option(
    help: ArgumentHelp(
      "Write a copy of the log without values, which can be shared and replayed.",
      valueName: "file"
    )
  )
  var anonymize: String?

  @Flag(
    help: """
      Print what the log shows of Apple's code: it is the log of the tests that 'observe \
      --print-source --behaviors' prints.
      """
  )
  var behaviors = false

  @OptionGroup var replay: ReplayOptions

  func validate() throws {
    let others = compare || anonymize != nil || isGate || actionMarker != nil || replay.replay
    let isNamed = store != nil || model != nil
    guard
      !behaviors
        || !others && !isNamed && replay.workload == nil && [.text, .json, .html].contains(format)
    else {
      throw ValidationError("--behaviors can be combined with --format text, json or html alone")
    }
    guard anonymize == nil || !isNamed && format == .text else {
      throw ValidationError(
        "--anonymize writes a log: leave out '--store', '--model' and '--format'"
      )
    }
    if replay.replay || replay.workload != nil {
      guard !compare, anonymize == nil else {
        throw ValidationError(
          "'--replay' and '--workload' cannot be combined with '--compare' or '--anonymize'"
        )
      }
      guard store == nil || replay.recipe == nil else {
        throw ValidationError("name either a store or a recipe for the replay, not both")
      }
      guard replay.workload == nil || logs.count == 1 else {
        throw ValidationError("'--workload' takes one log")
      }
    }
    guard store == nil || model == nil else {
      throw ValidationError("name either a store or a model, not both: a store contains its model")
    }
    guard !compare || (logs.count == 2 && anonymize == nil) else {
      throw ValidationError("--compare takes two logs: before and after")
    }
    guard actions == nil || (!compare && anonymize == nil) else {
      throw ValidationError("--actions cannot be combined with --compare or --anonymize")
    }
    guard anonymize == nil || logs.count == 1 else {
      throw ValidationError("--anonymize takes one log")
    }
    guard actionMarker == nil || (!compare && anonymize == nil) else {
      throw ValidationError("--action-marker cannot be combined with --compare or --anonymize")
    }
    guard baseline == nil || actions != nil || actionMarker != nil else {
      throw ValidationError("--baseline needs --actions or --action-marker")
    }
    guard !updateBaseline || baseline != nil else {
      throw ValidationError("--update-baseline needs --baseline")
    }
    guard isGate || [.text, .json, .html].contains(format) else {
      throw ValidationError("the format '\(format.rawValue)' is for --actions and --baseline")
    }
  }

  /// Whether the command checks actions against limits or a baseline, instead of printing findings.
  private var isGate: Bool { actions != nil || baseline != nil }

  private func marker() throws -> ActionMarker? { try actionMarker.map { try ActionMarker($0) } }

  private func show(_ check: ActionCheck, on console: Console) throws {
    switch format {
    case .json: console.write(try check.jsonText())
    case .text, .html: console.show(check.report, asPage: format == .html)
    case .junit: console.write(check.junit)
    case .github:
      console.write(check.annotations)
      try JobSummary.add(check.markdown)
    case .markdown: console.write(check.markdown)
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    if behaviors {
      let found = try BehaviourLog(of: logs.flatMap { StatementLog.logs(at: $0) })
      switch format {
      case .json: console.write(try found.jsonText())
      default: console.show(found.report, asPage: format == .html)
      }
      return .done
    }
    if let anonymize {
      try Anonymizer(path: logs[0]).write(to: anonymize)
      console.note(
        "'\(anonymize)' keeps statements, names of entities and properties, times, row counts, and "
          + "the equality, order and length of values; values, paths and other texts are removed"
      )
      return .done
    }
    let schema = try schema(console)
    if isGate { return try gate(schema, on: console) }
    guard !compare else {
      let sides = try logs.map { try read([$0], schema, console) }
      let comparison = try LogComparison(sides[0], sides[1])
      switch format {
      case .json: console.write(try comparison.jsonText())
      default: console.show(comparison.report, asPage: format == .html)
      }
      return .done
    }
    let analysis = try read(logs, schema, console)
    let report = try replayed(analysis, console)
    let sections = try marker().map { try check(nil, $0, schema, nil, on: console) }
    let view = AnalysisView(
      of: analysis,
      replay: report,
      indexes: try indexes(analysis, console),
      actions: sections,
      logs: logs
    )
    switch format {
    case .json: console.write(try view.jsonText())
    default: console.show(view.report, asPage: format == .html)
    }
    return .done
  }

  private func gate(_ schema: LogSchema?, on console: Console) throws -> CommandStatus {
    let file = try actions.map { try ActionFile(path: $0, needsLimits: baseline == nil) }
    let known =
      updateBaseline ? nil : try baseline.map { try ActionBaseline(path: $0) }
    let check = try self.check(file, try marker(), schema, known, on: console)
    if updateBaseline, let baseline {
      try check.counts.write(to: baseline)
      console.note("wrote \(baseline): \(Figures.counted(check.counts.counts.count, "count"))")
    }
    try show(check, on: console)
    return check.isFailed ? .caseFailed : check.isRegressed ? .regression : .done
  }

  private func check(
    _ file: ActionFile?,
    _ marker: ActionMarker?,
    _ schema: LogSchema?,
    _ known: ActionBaseline?,
    on console: Console
  ) throws -> ActionCheck {
    let paths = logs.flatMap { StatementLog.logs(at: $0) }
    let wantsPages =
      file?.actions.contains { $0.limits[.pages] != nil } ?? false || baseline != nil
      || file == nil
    guard wantsPages, let source = try replaySource else {
      return try ActionCheck(
        file,
        marker: marker,
        logs: paths,
        schema: schema,
        baseline: known,
        findsCauses: file == nil
      )
    }
    let job = ReplayJob(logs: paths, source: source, options: replay)
    return try job.countingPages(on: console) { pages in
      try ActionCheck(
        file,
        marker: marker,
        logs: paths,
        schema: schema,
        baseline: known,
        findsCauses: file == nil,
        pages: pages
      )
    }
  }

  private func replayed(_ analysis: LogAnalysis, _ console: Console) throws -> ReplayReport? {
    guard replay.replay || replay.workload != nil else { return nil }
    guard let source = try replaySource else {
      throw ValidationError("a replay needs a store: add '--store' or '--recipe'")
    }
    let job = ReplayJob(logs: logs, source: source, options: replay)
    if let path = replay.workload { try job.writeWorkload(to: path, on: console) }
    guard replay.replay else { return nil }
    if EnvironmentProbe.isDebug {
      console.note("note: a debug build: counters are exact, times are not representative")
    }
    return try job.replay(analysis.findings, on: console)
  }

  private func indexes(_ analysis: LogAnalysis, _ console: Console) throws -> IndexProposals? {
    guard replay.replay, let source = try replaySource else { return nil }
    return try ReplayJob(logs: logs, source: source, options: replay)
      .indexes(analysis.indexCandidates, on: console)
  }

  private var replaySource: ReplayJob.Source? {
    get throws {
      if let recipe = replay.recipe { return .recipe(recipe) }
      if let store { return AppDatabase.isOne(store) ? .database(store) : .store(store) }
      let log = StatementLog.logs(at: logs[0]).first
      guard let log, log.hasSuffix(".sql") else { return nil }
      return try StatementLog.startDatabase(of: log).map {
        AppDatabase.isOne($0) ? .database($0) : .store($0)
      }
    }
  }

  private func read(
    _ logs: [String],
    _ schema: LogSchema?,
    _ console: Console
  ) throws -> LogAnalysis {
    let paths = logs.flatMap { StatementLog.logs(at: $0) }
    let analysis = try ProgressLine.during(console) { line in
      try LogAnalysis(of: paths, schema: schema) { line.take("reading the log: \($0) statements") }
    }
    if let schema, let path = store ?? model { try analysis.check(schema, path: path) }
    // If two logs are compared, name the log in its notes.
    let name = compare ? "'\(logs[0])': " : ""
    for note in analysis.report.notes { console.note("note: \(name)\(note)") }
    return analysis
  }

  private func schema(_ console: Console) throws -> LogSchema? {
    if let path = store ?? model { return try schema(of: path) }
    // Use the schema of the database copy that SQLite's statement log includes, made when logging
    // started.
    guard let log = StatementLog.logs(at: logs[0]).first, log.hasSuffix(".sql"),
      let database = try StatementLog.startDatabase(of: log)
    else { return nil }
    do {
      return try schema(of: database)
    } catch {
      console.note("note: the starting database is not used: \(error)")
      return nil
    }
  }

  private func schema(of path: String) throws -> LogSchema {
    if AppDatabase.isOne(path) { return try LogSchema(tablesOf: AppDatabase.connection(to: path)) }
    let input = try ModelInput.read(path: path)
    var schema = LogSchema(model: input.version.model)
    if input.kind == .store {
      try schema.read(try StoreReader(StoreFile(path: input.path)).connection)
    }
    return schema
  }
}
