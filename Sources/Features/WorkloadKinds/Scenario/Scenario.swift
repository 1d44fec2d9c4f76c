import DataModel
import PersistentStore
import Runner
import SQLite

extension ParameterSet {
  /// The reason why a case is impossible; `nil` if its store has at least as many objects as a save
  /// changes.
  func tooFew(_ objects: Int, _ verb: String, _ perSave: Int, _ noun: String) -> String? {
    guard perSave > objects else { return nil }
    return "a save \(verb) \(perSave) \(noun), but 'objects' is only \(objects): reduce "
      + "'objectsPerSave'"
  }
}

/// The keys of the objects that a save changes, without duplicates.
///
/// Successive keys differ by `step`. Each save continues after the previous one, and the keys wrap
/// around at the last object.
func turns(_ save: Int, _ perSave: Int, of objects: Int, step: Int = 1) -> [Int64] {
  var seen: Set<Int> = []
  return (0..<perSave).map { (save * perSave + $0) * step % objects }
    .filter { seen.insert($0).inserted }.map { Int64($0) + 1 }
}

/// The content of a small store that a kind makes: objects with the plain attributes of one entity
/// of the workload's store, and the kind's additions.
protocol Scenario: Sendable {
  associatedtype Parameters: ParameterSet

  var plain: PlainEntity { get }
  var seed: UInt64 { get }
  var model: Model { get }
  var keepsHistory: Bool { get }

  /// Describes the small store from the model of the workload's own store.
  ///
  /// - Throws: ``Refusal`` if a name in the parameters does not exist in the model.
  init(_ model: Model, _ parameters: Parameters, seed: UInt64) throws
}

extension Scenario {
  var entity: String { plain.name }
  var keepsHistory: Bool { false }
  var rows: SeededRow {
    SeededRow(seed: seed, attributes: plain.seeded, counter: plain.counter)
  }
  var layout: StoreLayout { StoreLayout(model: model, keepsHistory: keepsHistory) }
}

struct Stage<Content: Scenario> {
  let store: PersistentStore
  let content: Content
  let trial: Trial
  let settings: ConnectionSettings
}

/// A session that needs only an open small store.
protocol StageSession {
  associatedtype Content: Scenario

  /// Prepares everything that must not be timed.
  init(_ stage: Stage<Content>) throws
}

/// A workload kind whose cases run on a small store that the kind makes.
///
/// The kind declares the store's content, the work of a session and, in plain SQL, the expected
/// result. Creating, opening and verifying the store are the same for all such kinds.
protocol ScenarioKind: WorkloadKind {
  associatedtype Content: Scenario where Content.Parameters == Parameters

  /// The failures, such as a power loss, that a commit survives; `nil` to use the workload file's
  /// settings.
  var durability: CommitDurability? { get }

  func fill(_ stage: Stage<Content>) throws
  func session(_ stage: Stage<Content>) throws -> Session
  /// Applies the expected changes to a copy of the starting store by SQL, and checks the data that
  /// the work showed.
  func outcome(of session: Session, _ expected: ExpectedStore, _ content: Content) throws -> Outcome
}

/// The outcome of a scenario's work, apart from the store.
struct Outcome {
  /// The errors in the data that the work showed or reported, in sentences.
  var problems: [String] = []
  /// Computes the digest of the data that the work showed; `nil` to use the store's digest.
  ///
  /// It is called only if there are no problems.
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
      // Use a different seed from the seed of the store, so that new files get new names.
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
