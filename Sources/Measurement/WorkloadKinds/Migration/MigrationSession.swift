import DataModel
import PersistentStore
import Runner
import SQLite

/// What a trial of a migration works with.
package final class MigrationSession {
  let trial: Trial
  let parameters: MigrationParameters
  /// The layout of the store before its migration.
  let source: StoreLayout
  let destination: StoreLayout
  /// Whether an earlier launch has completed the migration.
  let isComplete: Bool
  /// Whether the store still has the model that it started with.
  let isAtSource: Bool
  /// Whether an earlier launch has come to something that this one finds or goes on with.
  let isResumed: Bool
  let mapping: MappingModel
  /// The attribute that a custom stage transforms; `nil` in other strategies.
  let stage: CustomStage?
  /// What an additive migration fills; `nil` in other strategies.
  let backfill: Backfill?
  /// The unique constraints to merge duplicates for, in the source's names.
  let constraints: [UniqueConstraint]
  /// The versions that a chain goes through or that a staged migration knows, the last one last.
  let plan: VersionPlan
  /// The way through the versions; `nil` where a staged migration has to find its own.
  let route: MigrationRoute?
  /// Why a staged migration did not touch the store.
  var refusal: MigrationCaseError?
  /// The open store; `nil` while its files are replaced.
  var store: PersistentStore?
  /// The new store that copies went to, while it is open.
  var target: PersistentStore?
  /// What the migration left: the trial's store, or a new one.
  var result: StoreFile

  init(_ trial: Trial, _ parameters: MigrationParameters) throws {
    isComplete = try LaunchRecovery(trial: trial, parameters: parameters).run()
    let store = try Self.open(trial.store, of: trial)
    let source = try Self.layout(atStartOf: trial)
    let last = try Self.version(at: parameters.to, in: trial, of: source.model)
    let model = last.model
    self.trial = trial
    self.parameters = parameters
    self.store = store
    self.source = source
    isAtSource = store.model == source.model
    let hasCopy = parameters.strategy == .gradual && trial.newStore.exists
    isResumed = try isComplete || hasCopy || !isAtSource || StageProgress(store) != nil
    let beginsHistory = parameters.leavesNewStore && parameters.history == .on
    destination = StoreLayout(
      model: model,
      keepsHistory: source.keepsHistory || beginsHistory
    )
    mapping = MappingModel(from: source.model, to: model)
    let isInNewStore = isComplete && parameters.leavesNewStore && !parameters.swaps
    result = isInNewStore ? trial.newStore : trial.store
    stage =
      parameters.strategy == .customStage ? try CustomStage(parameters, mapping: mapping) : nil
    backfill =
      parameters.strategy == .additive ? try Backfill(parameters, mapping: mapping) : nil
    constraints =
      [.merged, .removed, .upserted].contains(parameters.duplicates)
      ? try UniqueConstraint.added(by: mapping, parameters) : []
    let isChain = parameters.path == .chain || parameters.strategy == .staged
    let between = isChain ? parameters.via : []
    plan = VersionPlan(
      versions: try between.map { try Self.version(at: $0, in: trial, of: source.model) } + [last]
    )
    route =
      parameters.isInPlace && parameters.strategy != .staged
      ? try MigrationRoute(
        from: store.layout,
        through: isAtSource ? plan.versions : plan.versions(after: store.model),
        shape: parameters.shape
      ) : nil
    if isAtSource { try route?.check(against: mapping) }
    if [.merged, .upserted].contains(parameters.duplicates), constraints.isEmpty {
      throw MigrationCaseError.nothingToMerge(to: parameters.to)
    }
  }

  static func open(_ file: StoreFile, of trial: Trial, model: Model? = nil) throws
    -> PersistentStore
  {
    try PersistentStore.open(
      file,
      model: model,
      options: PersistentStore.Options(settings: trial.settings, seed: trial.seed)
    )
  }

  /// The version of a model at a path relative to the workloads folder, or `+ENTITY` of a model.
  static func version(
    at path: String,
    in trial: Trial,
    of base: Model
  ) throws -> VersionPlan.Version {
    if let version = try AdditiveVersion(path, of: base) {
      return VersionPlan.Version(name: path, model: version.model)
    }
    let models = ModelFiles(folder: trial.workloadsFolder)
    return try VersionPlan.Version(path, in: models.family(at: path))
  }

  /// The layout that the store had before any launch: an app knows its versions.
  private static func layout(atStartOf trial: Trial) throws -> StoreLayout {
    try PersistentStore.open(
      trial.start,
      mode: trial.start.restingMode,
      options: PersistentStore.Options(settings: trial.settings, seed: trial.seed)
    ).layout
  }

  /// The open store.
  ///
  /// - Throws: ``PersistentStore/PersistentStoreError`` where it is closed and cannot be opened.
  func opened(_ recorder: Recorder) throws -> PersistentStore {
    if let store { return store }
    let store = try Self.open(trial.store, of: trial)
    recorder.observe(store.connection)
    self.store = store
    return store
  }

  /// Closes the new store, its counters taken.
  func closeTarget(_ recorder: Recorder) {
    if let target { recorder.settle(target.connection) }
    target = nil
  }

  /// Closes the store, its counters taken.
  func close(_ recorder: Recorder) {
    if let store { recorder.settle(store.connection) }
    store = nil
  }
}
