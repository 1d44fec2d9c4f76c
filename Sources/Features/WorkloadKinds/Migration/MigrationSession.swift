import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// The stores, models and mappings that a trial of a migration uses.
package final class MigrationSession {
  let trial: Trial
  let parameters: MigrationParameters
  let source: StoreLayout
  let destination: StoreLayout
  let isComplete: Bool
  let isAtSource: Bool
  /// Whether an earlier launch has made progress that this launch continues.
  let isResumed: Bool
  /// The mapping of the objects to the last version, combined from all steps.
  let mapping: MappingModel
  /// The attribute that a custom stage transforms; `nil` for other strategies.
  var stage: CustomStage?
  var backfill: Backfill?
  /// The unique constraints for which duplicates are merged, with the old model's names.
  let constraints: [UniqueConstraint]
  /// The versions that the store is migrated through; for a staged migration, all versions that the
  /// app knows, in ascending order.
  let plan: VersionPlan
  let route: MigrationRoute?
  /// The reason why a staged migration did not touch the store; `nil` if it was migrated.
  var refusal: Refusal?
  var store: PersistentStore?
  /// The new store to which the objects are copied, while it is open.
  var target: PersistentStore?
  /// The file of the migrated store: the trial's store or a new store.
  var result: StoreFile

  init(_ trial: Trial, _ parameters: MigrationParameters) throws {
    isComplete = try LaunchRecovery(trial: trial, parameters: parameters).run()
    let store = try trial.open()
    // The store before the first launch. Its model is known, because an app contains all versions
    // of its model.
    let start = try trial.open(trial.start, mode: trial.start.restingMode)
    let source = start.layout
    let (last, direct) = try Self.goal(of: parameters, in: trial, from: source.model)
    let model = last.model
    let plan = try Self.plan(of: parameters, in: trial, from: source.model, to: last)
    let way = try Self.way(through: plan, parameters, from: start)
    let mapping = try way.mapping(direct)
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
    self.mapping = mapping
    self.plan = plan
    let isInNewStore = isComplete && parameters.isInNewFile && !parameters.swaps
    result = isInNewStore ? trial.newStore : trial.store
    stage =
      parameters.strategy == .customStage ? try CustomStage(parameters, mapping: mapping) : nil
    backfill =
      parameters.strategy == .additive ? try Backfill(parameters, mapping: mapping) : nil
    constraints =
      [.merged, .removed, .upserted].contains(parameters.duplicates)
      ? try UniqueConstraint.added(by: mapping, parameters) : []
    route =
      parameters.isInPlace && parameters.strategy != .staged
      ? try MigrationRoute(
        from: store.layout,
        through: isAtSource ? plan.versions : plan.versions(after: store.model),
        shape: parameters.shape
      ) : nil
    if [.merged, .upserted].contains(parameters.duplicates), constraints.isEmpty {
      throw parameters.nothingToMerge
    }
  }

  var sameMapping: MappingModel { MappingModel(from: destination.model, to: destination.model) }

  /// The version at a model's path relative to the workloads folder; for `+ENTITY`, the base model
  /// with an attribute added.
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

  /// The version to migrate to, and the mapping to it.
  ///
  /// If a lightweight migration uses a map, the version has the former names as renaming
  /// identifiers. A model released with Core Data would have them too.
  private static func goal(
    of parameters: MigrationParameters,
    in trial: Trial,
    from source: Model
  ) throws -> (VersionPlan.Version, MappingModel) {
    let last = try version(at: parameters.to, in: trial, of: source)
    let files = ModelFiles(folder: trial.workloadsFolder)
    let mapping = try parameters.mapping(from: source, to: last.model, files)
    guard parameters.isMapped, parameters.strategy == .lightweight else { return (last, mapping) }
    let renamed = VersionPlan.Version(
      name: last.name,
      model: mapping.renamedDestination,
      hashes: last.hashes
    )
    return (renamed, MappingModel(from: source, to: renamed.model))
  }

  private static func plan(
    of parameters: MigrationParameters,
    in trial: Trial,
    from source: Model,
    to last: VersionPlan.Version
  ) throws -> VersionPlan {
    let between =
      parameters.goesThroughVersions
      ? try parameters.via.map { try version(at: $0, in: trial, of: source) } : []
    let versions = between + [last]
    guard parameters.strategy == .staged, parameters.wrapper else {
      return VersionPlan(versions: versions)
    }
    return VersionPlan(versions: [.wrapper(of: source)] + versions)
  }

  private static func way(
    through plan: VersionPlan,
    _ parameters: MigrationParameters,
    from start: PersistentStore
  ) throws -> VersionWay {
    let model = start.layout.model
    guard parameters.strategy == .staged else {
      return VersionWay(from: model, through: plan.versions)
    }
    let metadata = try StoreMetadata(from: start.connection, path: start.file.path)
    // A store of an unknown version cannot be migrated, so no versions remain.
    let place = plan.place(of: metadata, model) ?? plan.versions.count - 1
    return VersionWay(from: model, through: Array(plan.versions[(place + 1)...]))
  }

  func opened(_ recorder: Recorder) throws -> PersistentStore {
    if let store { return store }
    let store = try trial.open()
    recorder.observe(store.connection)
    self.store = store
    return store
  }

  func migrated(_ recorder: Recorder) throws -> PersistentStore {
    if let target { return target }
    guard result != trial.store else { return try opened(recorder) }
    let target = try trial.open(result)
    recorder.observe(target.connection)
    self.target = target
    return target
  }

  func closeTarget(_ recorder: Recorder) {
    if let target { recorder.settle(target.connection) }
    target = nil
  }

  func close(_ recorder: Recorder) {
    if let store { recorder.settle(store.connection) }
    store = nil
  }
}

func firstFew(_ texts: [String]) -> String {
  texts.prefix(5).joined(separator: "; ")
    + (texts.count > 5 ? "; and \(texts.count - 5) more" : "")
}
