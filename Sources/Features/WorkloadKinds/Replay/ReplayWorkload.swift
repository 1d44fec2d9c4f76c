import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLLog
import SQLite

/// Runs the statements of an app's SQL log on a store, in their order and transactions.
struct ReplayWorkload: WorkloadKind {
  static let description = KindDescription(
    name: "replay",
    summary: "runs the statements of an app's SQL log again",
    question: "How long do the log's statements take, and what does a fix save?",
    metrics: Metric.replay.all,
    example: "log: replay.log",
    exampleFiles: [
      "replay.log": """
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZCOUNT, t0.ZFOLDER FROM ZNOTE t0 ORDER BY t0.ZBODY
      CoreData: annotation: sql connection fetch time: 0.0004s
      CoreData: annotation: total fetch execution time: 0.0005s for 60 rows.
      CoreData: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZFOLDER t0 WHERE  t0.Z_PK = ?
      CoreData: annotation: sql connection fetch time: 0.0001s
      CoreData: annotation: total fetch execution time: 0.0001s for 1 rows.
      CoreData: sql: BEGIN EXCLUSIVE
      CoreData: sql: UPDATE ZNOTE SET ZCOUNT = ?, Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?
      CoreData: details: SQLite bind[0] = 500
      CoreData: details: SQLite bind[1] = 2
      CoreData: details: SQLite bind[2] = 3
      CoreData: details: SQLite bind[3] = 1
      CoreData: sql: COMMIT

      """
    ],
    fit: fit
  )

  let parameters: ReplayParameters

  var traits: CaseTraits {
    var traits = CaseTraits(endState: endState, startingStore: startingStore)
    traits.job = job
    traits.behaviours = behaviours
    traits.notes = notes
    traits.diskFactor = 4
    return traits
  }

  var endState: String { "replayed " + parameters.values.canonical }
  /// The name of the work without the fix, so that cases with and without the fix are compared.
  var job: String { "replayed " + parameters.values.without([parameters.$fix]).canonical }

  var startingStore: String? {
    ReplayFix(parameters.fix)?.changesStore == true ? "store with \(parameters.fix)" : nil
  }

  var behaviours: [Behaviour] {
    [
      Behaviour(name: "rowsReadByFaults", value: "one", evidence: .assumed),
      Behaviour(name: "batchOrder", value: "asFetched", evidence: .assumed),
    ]
  }

  var notes: [String] {
    ["measures only the statements, not the app's time for its objects"]
  }

  private func script(_ trial: Trial) throws -> ReplayScript {
    try ReplayScript(
      logs: [parameters.path(in: trial.workloadsFolder)],
      lines: parameters.firstLine...max(parameters.lastLine, parameters.firstLine)
    )
  }

  func makeStartingStore(_ trial: Trial) throws {
    guard let fixed = try fixed(script(trial), trial.store, trial.settings) else { return }
    try ReplaySession.change(trial.store, fixed.storeChanges, settings: trial.settings)
  }

  private func fixed(
    _ script: ReplayScript,
    _ store: StoreFile,
    _ settings: ConnectionSettings
  ) throws -> FixedScript? {
    try ReplayFix(parameters.fix)?.applied(to: script, ReplaySchema(of: store, settings: settings))
  }

  func prepare(_ trial: Trial) throws -> ReplaySession {
    let logged = try script(trial)
    let script = try fixed(logged, trial.store, trial.settings)?.script ?? logged
    let folder = trial.folder + "/rehearsal"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let copy = try StoreCopier.copy(trial.start, into: folder)
    let session = try ReplaySession(
      rehearsing: script,
      on: copy,
      settings: trial.settings,
      values: parameters.usedValues,
      scale: parameters.scale
    )
    try session.open(trial.store)
    return session
  }

  func run(_ session: ReplaySession, _ recorder: Recorder) throws {
    for connection in session.connections { recorder.observe(connection.connection) }
    try session.run()
    let replay = session.replay
    recorder.count(.replay.statements, replay.steps.count)
    recorder.count(.replay.rows, session.outcome.rows)
    recorder.count(.replay.changed, session.outcome.changed)
    recorder.count(.replay.errors, replay.divergence.errors + session.outcome.errors)
    recorder.count(.replay.guessed, replay.divergence.guessed)
    recorder.record(.replay.divergence, replay.divergence.share)
  }

  /// Compares the replay's rows with the rehearsal's, and the store with the copy on which it was
  /// rehearsed.
  func verify(_ session: ReplaySession, _ trial: Trial) throws -> Verification {
    session.close()
    guard session.outcome == session.rehearsed else {
      throw VerificationFailure([
        "the replay read or changed different rows than its rehearsal: \(session.outcome), not "
          + "\(session.rehearsed)"
      ])
    }
    let layout = try trial.open(mode: .readOnly).layout
    let digest = try StoreInspection(store: trial.store, layout: layout).digest()
    let expected = try StoreInspection(store: session.rehearsalStore, layout: layout).digest()
    guard digest == expected else {
      throw VerificationFailure(["the store differs from the store after the rehearsal"])
    }
    return Verification(digest: digest, notes: session.notes)
  }
}

final class ReplaySession {
  struct Outcome: Hashable, CustomStringConvertible {
    var rows = 0
    var changed = 0
    var errors = 0

    var description: String { "\(rows) rows read, \(changed) changed, \(errors) errors" }
  }

  let replay: ResolvedReplay
  let script: ReplayScript
  /// The copy that the rehearsal changed: the expected state of the store after the replay.
  let rehearsalStore: StoreFile
  private let settings: ConnectionSettings
  private(set) var connections: [ReplayConnection] = []
  private(set) var outcome = Outcome()
  private(set) var saves = SaveClock()
  /// The numbers of rows and errors in the rehearsal, for comparison with those of the replay.
  let rehearsed: Outcome

  /// Rehearses a script on a copy of the store; the rehearsal changes the copy.
  init(
    rehearsing script: ReplayScript,
    on copy: StoreFile,
    settings: ConnectionSettings,
    values: Rehearsal.Values,
    scale: Double
  ) throws {
    (self.script, self.settings, rehearsalStore) = (script, settings, copy)
    let connections = try Self.connections(script, copy, settings, mode: .readWrite)
    let schema: ReplaySchema
    if script.isPlain {
      // Read the schema on a separate connection, because the replay's own connections are not
      // permitted to read it.
      schema = try ReplaySchema(of: copy, settings: settings, isPlain: true)
    } else if let layout = connections[0].layout {
      schema = ReplaySchema(layout)
    } else {
      throw PersistentStoreError.noModel(path: copy.path)
    }
    var rehearsal = try Rehearsal(
      script,
      schema: schema,
      connections: connections,
      values: values,
      scale: scale
    )
    replay = try rehearsal.perform()
    rehearsed = Outcome(rows: replay.rows, changed: replay.changed)
    Self.rollBack(connections)
  }

  private static func connections(
    _ script: ReplayScript,
    _ store: StoreFile,
    _ settings: ConnectionSettings,
    mode: Connection.Mode
  ) throws -> [ReplayConnection] {
    try (0..<max(script.connections, 1)).map {
      try ReplayConnection(
        store,
        mode: mode,
        settings: settings,
        isFirst: $0 == 0,
        isPlain: script.isPlain
      )
    }
  }

  static func change(
    _ store: StoreFile,
    _ statements: [String],
    settings: ConnectionSettings?
  ) throws {
    guard !statements.isEmpty else { return }
    let connection = try Connection(path: store.path, mode: .readWrite, settings: settings)
    for sql in statements { try connection.execute(sql) }
    try connection.checkpoint()
  }

  func open(_ store: StoreFile) throws {
    let mode: Connection.Mode = script.onlyReads ? .readOnly : .readWrite
    connections = try Self.connections(script, store, settings, mode: mode)
    outcome = Outcome()
  }

  /// Runs every step once.
  ///
  /// Counts errors instead of throwing them, unless the disk is full.
  func run() throws {
    (outcome, saves) = (Outcome(), SaveClock())
    for step in replay.steps {
      let statement = replay.statements[step.statement]
      saves.start(step, statement)
      defer { saves.end(step, statement) }
      do {
        let rows = try connections[step.connection].run(step, statement)
        if statement.isChange { outcome.changed += rows } else { outcome.rows += rows }
      } catch {
        if let error = error as? SQLiteError, error.isFullDisk { throw error }
        outcome.errors += 1
      }
    }
  }

  /// Adds up the durations of writing transactions, from BEGIN to COMMIT, and of writes outside
  /// transactions.
  struct SaveClock {
    private(set) var count = 0
    private(set) var nanoseconds: UInt64 = 0
    /// The nanoseconds spent in the open transaction, by connection.
    private var open: [Int: (spent: UInt64, writes: Bool)] = [:]
    private var started: UInt64 = 0

    mutating func start(_ step: ResolvedStep, _ statement: ReplayStatement) {
      if statement.shape.kind == .begin { open[step.connection] = (0, false) }
      guard open[step.connection] != nil || statement.isChange else { return }
      started = MonotonicClock.now()
    }

    mutating func end(_ step: ResolvedStep, _ statement: ReplayStatement) {
      guard var transaction = open[step.connection] else {
        if statement.isChange { add(MonotonicClock.now() &- started) }
        return
      }
      transaction.spent += MonotonicClock.now() &- started
      if statement.shape.isWrite { transaction.writes = true }
      open[step.connection] = transaction
      guard [.commit, .rollback].contains(statement.shape.kind) else { return }
      open[step.connection] = nil
      if transaction.writes { add(transaction.spent) }
    }

    private mutating func add(_ spent: UInt64) {
      count += 1
      nanoseconds += spent
    }
  }

  func close() {
    Self.rollBack(connections)
    connections = []
  }

  private static func rollBack(_ connections: [ReplayConnection]) {
    for connection in connections where connection.connection.isInTransaction {
      try? connection.connection.execute("ROLLBACK")
    }
  }

  var notes: [String] {
    let divergence = replay.divergence
    var notes: [String] = []
    if !divergence.isEvidence {
      notes.append("differs from the log by \(percent(divergence.share)): not used as evidence")
    }
    if divergence.guessed > 0 {
      notes.append("values guessed in \(divergence.guessed) of \(divergence.statements) statements")
    }
    return notes + gaps
  }

  /// The differences between the log and the replay: omitted and refused statements.
  var gaps: [String] {
    var notes: [String] = []
    for (name, omission) in replay.omissions.sorted(by: { $0.key < $1.key }) {
      notes.append("not replayed: \(omission.count) × \(name)")
    }
    for (name, refusal) in replay.refusals.sorted(by: { $0.key < $1.key }) {
      notes.append("refused: \(refusal.count) × \(name), first at line \(refusal.line)")
    }
    if script.isCut {
      notes.append(
        "the log is longer: only its first \(script.steps.count) statements are replayed"
      )
    }
    return notes
  }

  private func percent(_ share: Double) -> String {
    "\((share * 1000).rounded() / 10) %"
  }
}

extension ReplayStatement {
  /// Whether the statement's row count is the number of changed rows.
  var isChange: Bool { shape.isWrite || isSystemWrite }
}

struct ReplayParameters: ParameterSet {
  @Parameter(.path, "the log of Core Data, SwiftData or SQLite") var log = ""
  @Parameter(1...Int.max, "the first line that is replayed") var firstLine = 1
  @Parameter(1...Int.max, "the last line that is replayed") var lastLine = Int.max
  @Parameter(
    named: "values",
    "which values statements have: the values of the log, similar values of the store, or the log's "
      + "values only if the store has the same keys"
  )
  var usedValues = Rehearsal.Values.auto
  @Parameter(
    0.001...1_000_000,
    "size of the store, as a multiple of the number of objects in the log"
  ) var scale = 1.0
  @Parameter(.name, "a finding that is fixed, as 'analyze --replay' names it: RULE@LINE") var fix =
    ""

  var impossibility: String? {
    if log.isEmpty { return "a replay needs a 'log'" }
    if lastLine < firstLine { return "'lastLine' is before 'firstLine'" }
    if !fix.isEmpty, ReplayFix(fix) == nil {
      return "'\(fix)' is not a finding that a replay can fix: write RULE@LINE, such as "
        + "faults-one-by-one@120"
    }
    return nil
  }

  func path(in folder: String) -> String { log.hasPrefix("/") ? log : folder + "/" + log }
}

extension ReplayWorkload {
  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = ReplayParameters(fit.values)
    let path = parameters.path(in: fit.models.folder)
    fit.look(parameters.$log) {
      guard FileManager.default.fileExists(atPath: path) else {
        throw Refusal.noSuchLog(path: path)
      }
    }
  }

  struct Metrics: MetricFamily {
    let statements = Metric.tally("replay.statements", "statements replayed")
    let rows = Metric.tally("replay.rows", "number of rows that the statements read")
    let changed = Metric.tally("replay.changed", "number of rows that the statements changed")
    let errors = Metric.counter("replay.errors", "statements that SQLite refused")
    let guessed = Metric.tally(
      "replay.guessed",
      "number of statements with a value or key that the log does not show"
    )
    let divergence = Metric.share(
      "replay.divergence",
      "rows, writes or statements that differ from the log, the largest of the three shares"
    )
  }
}

extension Metric {
  static let replay = ReplayWorkload.Metrics()
}
