import DataModel
import PersistentStore
import Runner
import SQLite

extension ParameterSet {
  /// Why the saves of a case are impossible, if its store has fewer objects than one of them changes.
  func tooFew(_ objects: Int, _ verb: String, _ perSave: Int, _ noun: String) -> String? {
    guard perSave > objects else { return nil }
    return "a save \(verb) \(perSave) \(noun), but 'objects' is only \(objects): reduce "
      + "'objectsPerSave'"
  }
}

/// The keys of the objects that a save changes, each once: the objects take turns, by a step.
func turns(_ save: Int, _ perSave: Int, of objects: Int, step: Int = 1) -> [Int64] {
  var seen: Set<Int> = []
  return (0..<perSave).map { (save * perSave + $0) * step % objects }
    .filter { seen.insert($0).inserted }.map { Int64($0) + 1 }
}

/// What a small store of a kind's own contains: objects with the plain attributes of an entity of
/// the workload's store, and what the kind adds to them.
protocol Scenario: Sendable {
  associatedtype Parameters: ParameterSet

  /// The entity that the objects are shaped as.
  var plain: PlainEntity { get }
  /// The seed that values follow from.
  var seed: UInt64 { get }
  /// The model of the small store.
  var model: Model { get }
  var keepsHistory: Bool { get }

  /// What the small store contains, from the model of the workload's own store.
  ///
  /// - Throws: ``Refusal`` for a name that the model does not have.
  init(_ model: Model, _ parameters: Parameters, seed: UInt64) throws
}

extension Scenario {
  var entity: String { plain.name }
  var keepsHistory: Bool { false }
  /// The values of the plain attributes.
  var rows: SeededRow {
    SeededRow(seed: seed, attributes: plain.seeded, counter: plain.counter)
  }
  var layout: StoreLayout { StoreLayout(model: model, keepsHistory: keepsHistory) }
}

/// A small store that is open, with what it contains.
struct Stage<Content: Scenario> {
  let store: PersistentStore
  let content: Content
  let trial: Trial
  /// The settings of the store's connection.
  let settings: ConnectionSettings
}

/// What works on a small store and needs nothing else.
protocol StageSession {
  associatedtype Content: Scenario

  /// Makes everything that must not be timed.
  init(_ stage: Stage<Content>) throws
}

/// A kind whose cases run on a small store that it makes.
///
/// The kind declares what the store contains, what a session does with it, and by plain SQL what
/// that makes of the store; making, opening and verifying it are the same for all such kinds.
protocol ScenarioKind: WorkloadKind {
  associatedtype Content: Scenario where Content.Parameters == Parameters

  /// What a commit survives; `nil` leaves it to the settings of the file.
  var durability: CommitDurability? { get }

  /// Puts the objects into the empty store.
  func fill(_ stage: Stage<Content>) throws
  /// Makes everything that works on the open store.
  func session(_ stage: Stage<Content>) throws -> Session
  /// Changes a copy of the starting store as the work had to change its own, and compares what the
  /// work showed with it.
  func outcome(of session: Session, _ expected: ExpectedStore, _ content: Content) throws -> Outcome
}

/// What a scenario's work came to, besides the store.
struct Outcome {
  /// What is wrong with what the work showed or reported.
  var problems: [String] = []
  /// The digest of what was shown, asked for if nothing is wrong; `nil` for the digest of the store.
  var digest: (() throws -> String)?
  var digestOptions = DigestOptions.keys()
  var notes: [String] = []
  var losses: [String] = []
}

extension ScenarioKind where Session: StageSession, Session.Content == Content {
  func session(_ stage: Stage<Content>) throws -> Session { try Session(stage) }
}

extension ScenarioKind {
  var durability: CommitDurability? { nil }

  func content(for trial: Trial) throws -> Content {
    try Content(trial.original.ownModel(), parameters, seed: trial.seed)
  }

  func makeStartingStore(_ trial: Trial) throws {
    let content = try content(for: trial)
    try trial.store.remove()
    let store = try PersistentStore.create(
      at: trial.store.path,
      model: content.model,
      options: PersistentStore.Options(
        settings: trial.settings,
        seed: trial.seed,
        keepsHistory: content.keepsHistory
      )
    )
    try fill(Stage(store: store, content: content, trial: trial, settings: trial.settings))
  }

  func prepare(_ trial: Trial) throws -> Session {
    let settings = durability?.settings(trial.settings) ?? trial.settings
    let store = try PersistentStore.open(
      trial.store,
      mode: traits.onlyReads ? .readOnly : .readWrite,
      // Another seed than the one the store was made with: new files must have new names.
      options: PersistentStore.Options(settings: settings, seed: trial.seed ^ 0x7472_6961_6c)
    )
    return try session(
      Stage(store: store, content: content(for: trial), trial: trial, settings: settings)
    )
  }

  func verify(_ session: Session, _ trial: Trial) throws -> Verification {
    let content = try content(for: trial)
    let expected = ExpectedStore(trial, content.layout)
    let outcome = try outcome(of: session, expected, content)
    let problems = try expected.problems() + outcome.problems
    guard problems.isEmpty else { throw VerificationFailure(problems) }
    return Verification(
      digest: try outcome.digest?() ?? expected.inspection.digest(outcome.digestOptions),
      notes: ["objects shaped as '\(content.entity)'"] + outcome.notes,
      losses: outcome.losses
    )
  }
}
