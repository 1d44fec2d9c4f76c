import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// Measures several operating-system processes that use one store: an app writes, a widget finds
/// the changes, and a share extension may add objects at the same time.
struct CoexistenceWorkload: WorkloadKind {
  static let description = KindDescription(
    name: "coexistence",
    summary:
      "an app, a widget and a share extension on one store: how soon one sees what the others save",
    question: "How soon does another process see a save?",
    metrics: Metric.coexistence.all + [Metric.waits.lag, Metric.waits.longestLag],
    example: "rounds: 2, interval: 2, poll: 1",
    fit: fit
  )

  static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = CoexistenceParameters(fit.values)
    if parameters.detection == .history, store.keepsHistory == false {
      fit.ruleOut(
        "the store keeps no history, which 'detection: history' needs; use a store of the flavour "
          + "swiftData, or a different 'detection'"
      )
    }
    ReplicaShape.fit(
      &fit,
      to: store,
      entity: (parameters.$entity, parameters.entity),
      identity: (parameters.$identity, parameters.identity),
      date: (parameters.$date, parameters.date)
    )
  }

  let parameters: CoexistenceParameters

  var traits: CaseTraits {
    var traits = CaseTraits(endState: endState)
    // The processes run in a varying order, which affects the work of a checkpoint and the number
    // of polls.
    traits.isConcurrent = true
    traits.behaviours = behaviours
    traits.notes = notes
    return traits
  }

  var endState: String {
    let added = parameters.added > 0 ? ", \(parameters.added) added by an extension" : ""
    return "\(parameters.rounds) rounds of \(parameters.objects) objects\(added)"
  }

  var behaviours: [Behaviour] {
    var behaviours: [Behaviour] = []
    if parameters.added > 0 {
      behaviours.assume(parameters.$historyKeys, parameters.historyKeys)
    }
    return behaviours
  }

  var notes: [String] {
    [
      "the time includes a wait of \(parameters.interval) ms after each of \(parameters.saves) saves"
    ]
  }

  func prepare(_ trial: Trial) throws -> CoexistenceSession {
    let session = try CoexistenceSession(trial, parameters)
    guard parameters.role == .writer else { return session }
    for role in CoexistenceParameters.Role.allCases {
      try SaveLog(folder: trial.folder, of: role).begin()
    }
    try LineFile.changes(in: trial.folder).begin()
    for role in parameters.others {
      let own = parameters.values.setting(parameters.$role, to: role)
      session.others[role] = try OtherProcess(
        TrialRequest(kind: Self.name, parameters: own, trial: trial),
        ready: session.ready(role)
      )
    }
    return session
  }

  func run(_ session: CoexistenceSession, _ recorder: Recorder) throws {
    switch parameters.role {
    case .writer: try CoexistenceWriter(session: session, recorder: recorder).run()
    case .shareExtension: try CoexistenceExtension(session: session, recorder: recorder).run()
    case .reader:
      try CoexistenceReader(session: session, recorder: recorder).run()
      session.recorder = recorder
    }
  }

  func verify(_ session: CoexistenceSession, _ trial: Trial) throws -> Verification {
    switch parameters.role {
    case .writer: break
    // The extension's saves are verified together with the app's store.
    case .shareExtension: return Verification(digest: "")
    case .reader:
      guard let recorder = session.recorder else { break }
      return try CoexistenceReader(session: session, recorder: recorder).verify()
    }
    // Read the layout from the file, because a session that does not use the history opens the
    // store without it.
    let layout = try trial.open(mode: .readOnly).layout
    let script = session.script
    let shape = script.shape
    let names = try EntityNames(shape.entity, in: layout)
    let expected = ExpectedStore(trial, layout)
    let shared = try SharedObjects(session, store: trial.store)
    var last: [Int64: SaveScript.Save] = [:]
    for save in 0..<parameters.saves {
      for key in script.updates(of: save) { last[key] = .app(save) }
    }
    for (key, save) in last.merging(shared.last, uniquingKeysWith: { $1 }) {
      let values: [PropertyValue] = [
        (shape.textAttribute, script.text(of: save)), (shape.dateAttribute, script.date(of: save)),
      ]
      try expected.set(values, of: key, in: names)
    }
    let attributes = try layout.model.attributes(of: layout.model.knownEntity(shape.entity))
    let defaults = attributes.filter { !$0.isTransient }.map { ($0.name, $0.defaultValue) }
    for (number, key) in shared.added {
      var values = Dictionary(keepingFirst: defaults)
      for (name, value) in script.values(of: .shareExtension(number), in: layout.model) {
        values[name] = value
      }
      try expected.insert(key, values.map { ($0, $1) }, in: names)
    }
    expected.inspection.toleratesOldFaults = try trial.mayBreakRules()
    // Tolerate gaps in the history: a save that is repeated after a conflict reserves keys again.
    if parameters.historyKeys == .beforeSave { expected.inspection.exceptions = [.historyGap] }
    // Skip the comparison of the history, which also contains objects that were inserted and then
    // deleted.
    expected.history = nil
    let findings = try expected.problems { _ in }
    guard findings.isEmpty else { throw VerificationFailure(findings) }
    // If the extension saves too, the final values depend on which process changed an object last,
    // so a fixed string replaces the digest.
    let digest = parameters.added > 0 ? "as both processes saved" : try expected.inspection.digest()
    return Verification(digest: digest, notes: session.readerNotes)
  }
}

/// One of the case's processes, with its open store and the changes that it makes or finds.
final class CoexistenceSession {
  let parameters: CoexistenceParameters
  let store: PersistentStore
  let script: SaveScript
  let folder: String
  /// Finds the other processes' changes; `nil` unless this process is the reader.
  let changes: ChangeReader?
  var others: [CoexistenceParameters.Role: OtherProcess] = [:]
  /// The number of times that this process found the store locked by another process.
  private(set) var waits = 0
  var readerNotes: [String] = []
  var recorder: Recorder?

  /// Creates a context for the case's saves.
  ///
  /// If only the app saves, the context has the default behaviors, as in other workload kinds.
  func context() throws -> ObjectContext {
    let behaviours =
      parameters.added > 0
      ? StoreBehaviours(historyKeys: parameters.historyKeys) : StoreBehaviours()
    return try ObjectContext(store: store, behaviours: behaviours)
  }

  func ready(_ role: CoexistenceParameters.Role) -> String { "\(folder)/\(role.rawValue).ready" }

  init(_ trial: Trial, _ parameters: CoexistenceParameters) throws {
    store = try PersistentStore.open(
      trial.store,
      mode: .readWrite,
      options: PersistentStore.Options(
        settings: trial.settings,
        // Use different seeds, so that two processes do not generate the same file names and
        // identifiers.
        seed: trial.seed ^ (parameters.role == .shareExtension ? 0x7368_6172_65 : 0),
        keepsHistory: parameters.detection == .history ? nil : false
      )
    )
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
    // Each process waits up to five seconds for another process's lock instead of failing.
    store.connection.waitForLocks(milliseconds: 5000) { [weak self] in self?.waits += 1 }
  }
}

struct CoexistenceParameters: ParameterSet {
  enum Role: String, CaseIterable, Sendable {
    /// The app, which writes and starts the other processes.
    case writer
    /// The widget, which polls for changes.
    case reader
    /// The share extension, which adds objects and changes some objects that the app also changes.
    case shareExtension
  }

  enum Detection: String, CaseIterable, Sendable {
    /// Reads the history after a token, which marks the last transaction that was read.
    case history
    /// Compares every object's date of last change; this cannot find deletions.
    case attribute
    /// Reads the lines that the writer appends to a file next to the store.
    case sideFile
  }

  @Parameter("the process's role; the writer starts the others") var role = Role.writer
  @Parameter("how the other process finds changes") var detection = Detection.history
  @Parameter(1...10_000, "rounds of five saves") var rounds = 10
  @Parameter(1...10_000, "objects updated by a save") var objects = 5
  @Parameter(0...10_000, "objects that a share extension adds, a save each; 0 for no extension")
  var added = 0
  @Parameter(0...1_000, "objects of the app that each save of the extension changes too")
  var shared = 1
  @Parameter("when a save reserves the keys of its history, which are the widget's tokens")
  var historyKeys = StoreBehaviours.HistoryKeys.inSave
  @Parameter(0...10_000, "milliseconds between two saves") var interval = 5
  @Parameter(1...10_000, "milliseconds between two checks for changes") var poll = 2
  @Parameter(named: "purge", "whether history is deleted at the end, after it was read")
  var purges = false
  @Parameter(.name, "entity whose objects are changed") var entity = ""
  @Parameter(.name, "attribute that identifies an object") var identity = ""
  @Parameter(.name, "attribute with the date of an object's last change") var date = ""

  /// The number of saves in a round.
  ///
  /// Three saves only update objects, a fourth also inserts an object, and a fifth also deletes it.
  static let savesPerRound = 5

  var saves: Int { rounds * Self.savesPerRound }

  /// The total number of saves made by the app and the extension.
  var allSaves: Int { saves + added }

  var others: [Role] { added > 0 ? [.reader, .shareExtension] : [.reader] }

  var irrelevant: Set<ParameterName> {
    (detection == .history ? Set() : [$purges])
      .union(added > 0 ? [] : [$shared, $historyKeys])
  }

  var impossibility: String? {
    if role != .writer { return "the writer starts the other processes: leave 'role' out" }
    if added > 0, detection != .history {
      return "only history shows what two processes have saved: use 'detection: history'"
    }
    if purges, detection != .history {
      return "only history can be purged: use 'detection: history'"
    }
    return nil
  }
}
