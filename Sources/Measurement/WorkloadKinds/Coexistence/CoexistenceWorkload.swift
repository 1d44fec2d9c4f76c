import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// Two processes of the operating system on one store: one writes, the other finds the changes.
package struct CoexistenceWorkload: Workload {
  package static let kind = "coexistence"
  package static let summary = "two processes on one store: how soon one sees what the other saves"
  package static let question = "How soon does another process see a save?"

  let parameters: CoexistenceParameters

  package init(_ parameters: CoexistenceParameters) {
    self.parameters = parameters
  }

  package var onlyReads: Bool { false }
  /// Who comes first decides what a checkpoint finds and how often the reader looks.
  package var isConcurrent: Bool { true }

  package var endState: String { "\(parameters.rounds) rounds of \(parameters.objects) objects" }

  package var notes: [String] {
    ["the time includes \(parameters.interval) ms after each of \(parameters.saves) saves"]
  }

  package func prepare(_ trial: Trial) throws -> CoexistenceSession {
    let session = try CoexistenceSession(trial, parameters)
    guard parameters.role == .writer else { return session }
    try SaveLog(folder: trial.folder).begin()
    try SideFile(folder: trial.folder).begin()
    let reading = parameters.values.setting(parameters.$role, to: CoexistenceParameters.Role.reader)
    session.reader = try ReaderProcess(
      TrialRequest(kind: Self.kind, parameters: reading, trial: trial),
      ready: session.ready
    )
    return session
  }

  package func run(_ session: CoexistenceSession, _ recorder: Recorder) throws {
    switch parameters.role {
    case .writer: try CoexistenceWriter(session: session, recorder: recorder).run()
    case .reader:
      try CoexistenceReader(session: session, recorder: recorder).run()
      session.recorder = recorder
    }
  }

  package func verify(
    _ session: CoexistenceSession,
    _ trial: Trial,
    failure: (any Error)?
  ) throws -> Verification {
    if parameters.role == .reader, let recorder = session.recorder {
      return try CoexistenceReader(session: session, recorder: recorder).verify()
    }
    // The file's own layout: a session that finds changes otherwise takes no notice of a history.
    let layout = try PersistentStore.open(
      trial.store,
      mode: .readOnly,
      options: PersistentStore.Options(settings: trial.settings, seed: trial.seed)
    ).layout
    let original = try StoreContent(store: trial.start, layout: layout)
    var expected = ExpectedContent(from: original)
    let script = session.script
    var last: [Int64: Int] = [:]
    for save in 0..<parameters.saves {
      for key in script.updates(of: save) { last[key] = save }
    }
    try expected.change(script.shape.entity) { object in
      guard let save = last[object.key] else { return }
      try object.set(script.shape.textAttribute, ContentValue(script.text(of: save)))
      try object.set(script.shape.dateAttribute, ContentValue(script.date(of: save)))
    }
    var inspection = StoreInspection(store: trial.store, layout: layout)
    inspection.toleratesOldFaults = try trial.mayBreakRules()
    // What was inserted and deleted again is in the history alone.
    let findings = try inspection.problems(expecting: expected, history: nil)
    guard findings.isEmpty else { throw VerificationFailure(findings) }
    return Verification(digest: try inspection.digest(), notes: session.readerNotes)
  }
}

/// What one of the two processes works with.
package final class CoexistenceSession {
  let parameters: CoexistenceParameters
  let store: PersistentStore
  let script: SaveScript
  let folder: String
  /// What the reader has found; `nil` in the writer.
  let changes: ChangeReader?
  /// The reader's process; `nil` in the reader.
  var reader: ReaderProcess?
  var readerNotes: [String] = []
  var recorder: Recorder?

  /// The file that says that the reader has begun.
  var ready: String { folder + "/reader.ready" }

  init(_ trial: Trial, _ parameters: CoexistenceParameters) throws {
    var settings = trial.settings
    // Either process waits for the other's locks instead of failing.
    settings.busyTimeout = 5000
    store = try PersistentStore.open(
      trial.store,
      mode: .readWrite,
      options: PersistentStore.Options(
        settings: settings,
        seed: trial.seed,
        keepsHistory: parameters.detection == .history ? nil : false
      )
    )
    if parameters.detection == .history, !store.layout.keepsHistory {
      throw CoexistenceError.noHistory(path: trial.store.path)
    }
    self.parameters = parameters
    folder = trial.folder
    script = try SaveScript(
      shape: ReplicaShape(
        entity: parameters.entity,
        identity: parameters.identity,
        date: parameters.date,
        layout: store.layout
      ),
      parameters: parameters,
      connection: store.connection
    )
    changes =
      parameters.role == .reader
      ? try ChangeReader(
        store: store,
        shape: script.shape,
        detection: parameters.detection,
        folder: trial.folder
      ) : nil
  }
}

/// What one case of the coexistence kind is about.
package struct CoexistenceParameters: ParameterSet {
  /// What a process of the case does.
  enum Role: String, CaseIterable, Sendable {
    /// The app: it writes, and starts the other process.
    case writer
    /// The widget or extension: it looks for changes.
    case reader
  }

  /// How a change is found.
  enum Detection: String, CaseIterable, Sendable {
    /// By the history after a token.
    case history
    /// By a date of the last change in every object; deletions leave none.
    case attribute
    /// By lines that the writer appends to a file beside the store.
    case sideFile
  }

  @Parameter("what a process does: the writer starts the reader") var role = Role.writer
  @Parameter("how the other process finds changes") var detection = Detection.history
  @Parameter(1...10_000, "rounds of five saves") var rounds = 10
  @Parameter(1...10_000, "objects updated by a save") var objects = 5
  @Parameter(0...10_000, "milliseconds between two saves") var interval = 5
  @Parameter(1...10_000, "milliseconds between two looks") var poll = 2
  @Parameter(named: "purge", "whether read history is deleted at the end") var purges = false
  @Parameter(.name, "the entity whose objects are changed") var entity = ""
  @Parameter(.name, "the attribute that tells objects apart") var identity = ""
  @Parameter(.name, "the date of an object's last change") var date = ""

  /// Saves of a round: three of updates, one that also inserts, one that deletes it again.
  static let savesPerRound = 5

  var saves: Int { rounds * Self.savesPerRound }

  package init() {}

  package var irrelevant: Set<ParameterName> { detection == .history ? [] : [$purges] }

  package var impossibility: String? {
    if role == .reader { return "the writer starts the reader: leave 'role' out" }
    if purges, detection != .history {
      return "only history is purged: use 'detection: history'"
    }
    return nil
  }
}
