import Basics
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
  /// What the whole way to the last version makes of the objects.
  let mapping: MappingModel
  /// The attribute that a custom stage transforms; `nil` in other strategies.
  var stage: CustomStage?
  /// What an additive migration fills; `nil` in other strategies.
  var backfill: Backfill?
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
    let start = try Self.start(of: trial)
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
      throw MigrationCaseError.nothingToMerge(to: parameters.to)
    }
  }

  /// The mapping of the new model to itself.
  var sameMapping: MappingModel { MappingModel(from: destination.model, to: destination.model) }

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

  /// The version to migrate to, and how; a lightweight migration by a map goes to the version with
  /// the former names as renaming identifiers, as a last Core Data release would have it.
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

  /// The versions that a chain goes through or that a plan knows, the last one last.
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

  /// The versions that a store goes through from where it was before any launch.
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
    // A store of an unknown version goes nowhere.
    let place = plan.place(of: metadata, model) ?? plan.versions.count - 1
    return VersionWay(from: model, through: Array(plan.versions[(place + 1)...]))
  }

  /// The store as it was before any launch: an app knows its versions.
  private static func start(of trial: Trial) throws -> PersistentStore {
    try PersistentStore.open(
      trial.start,
      mode: trial.start.restingMode,
      options: PersistentStore.Options(settings: trial.settings, seed: trial.seed)
    )
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

  /// The open store that the migration has left.
  ///
  /// - Throws: ``PersistentStore/PersistentStoreError``.
  func migrated(_ recorder: Recorder) throws -> PersistentStore {
    if let target { return target }
    guard result != trial.store else { return try opened(recorder) }
    let target = try Self.open(result, of: trial)
    recorder.observe(target.connection)
    self.target = target
    return target
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

/// Why a migration case cannot be run on a store.
enum MigrationCaseError: Error, Equatable, CustomStringConvertible {
  case noModel(path: String, count: Int)
  /// A model that has not the store's largest entity.
  case otherModel(path: String, entity: String)
  case unknownEntity(String, known: [String])
  /// Objects of an entity that becomes abstract.
  case madeAbstract(entity: String, count: Int)
  /// A relationship that is required and that nothing of the store leads along.
  case requiredAndNew(entity: String, relationship: String)
  /// A relationship that copies must have when they are saved, which is before they are led.
  case requiredLink(entity: String, relationship: String)
  /// A one-to-one of the store whose sides do not always lead to each other.
  case oneSided(relationship: String)
  /// Objects that lead to one target along what becomes one-to-one, all but the last of each.
  case shared(entity: String, relationship: String, count: Int64)
  case noAttribute(entity: String, attribute: String, transformation: String)
  case nothingToMerge(to: String)
  /// What renaming identifiers cannot do of a map.
  case notRenamed([String])
  /// Values of the store that the new model has no place for.
  case losesValues(to: String, [DroppedColumn])
  /// What copies of objects cannot become in the new model.
  case notCarried([MigrationObstacle])
  /// Changes that no inferred mapping can make; whether types and defaults are all of it.
  case notInferred([MigrationObstacle], isConverted: Bool)
  /// Policies and functions of a mapping model, by name.
  case appCode([String])
  case newAttributeUnique(entity: String, attribute: String)
  case mixedDuplicates(UniqueConstraint)
  case damagedExport(path: String, line: Int)
  case noDate(entity: String)
  /// Values of the store that a version on the way loses, and that the direct step keeps.
  case chainLoses([DroppedColumn])
  /// A chain that no one mapping stands for, so that it cannot be verified.
  case chainDiffers([String])
  case checkFailed(String)
  case notAdditive([String])
  case storeInUse(path: String)
  case unknownVersion(store: String, versions: [String])

  var description: String {
    switch self {
    case .noModel(let path, let count):
      "'\(path)' has \(count) versions of a model, but a migration needs one version; name one of "
        + "them"
    case .otherModel(let path, let entity):
      "'\(path)' is not a version of the store's model: it has no '\(entity)', the entity with most "
        + "objects"
    case .unknownEntity(let name, let known):
      "the store has no entity '\(name)'" + nameHint(name, among: known)
    case .madeAbstract(let entity, let count):
      "\(Figures.counted(Int(count), "object")) of '\(entity)' would lose their entity, "
        + "because it becomes abstract: make them objects of a sub-entity first"
    case .requiredAndNew(let entity, let relationship):
      "copies of \(entity) have no object for the required relationship '\(relationship)': set it by a "
        + "map, make it optional, or migrate in place, which leaves it empty"
    case .requiredLink(let entity, let relationship):
      "copies are saved before their relationships are set, and '\(entity).\(relationship)' is "
        + "required: use 'batchSize: 0' with 'sideBySide' or 'exportImport'"
    case .oneSided(let relationship):
      "in this store the two sides of the one-to-one '\(relationship)' are inconsistent; the object "
        + "context would repair them, so use the engine 'bareSQL'"
    case .shared(let entity, let relationship, let count):
      "\(Figures.counted(Int(count), "object")) of \(entity) have the same '\(relationship)' "
        + "as a later object, but the relationship becomes one-to-one: a copy keeps only the last "
        + "object's link; keep the inverse to-many, migrate in place, or allow the loss with "
        + "'dropped: allowed'"
    case .noAttribute("", "", let transformation):
      "the transformation '\(transformation)' cannot be applied to any attribute that is in both "
        + "models"
    case .noAttribute(let entity, let attribute, let transformation):
      "'\(entity)' has no attribute '\(attribute)' to which the transformation '\(transformation)' "
        + "can be applied; name an attribute that is in both models"
    case .nothingToMerge(let to):
      "the model '\(to)' adds no unique constraint; set 'duplicates' to 'ignored'"
    case .notRenamed(let blockers):
      "a lightweight migration cannot make these changes: "
        + "\(blockers.prefix(3).joined(separator: "; "))"
        + (blockers.count > 3 ? "; and \(blockers.count - 3) more" : "")
        + "; use the strategy 'sideBySide'"
    case .losesValues(let to, let dropped):
      "the model '\(to)' has no place for \(Self.words(dropped)); if a property was renamed, set "
        + "its former name as the renaming identifier; or allow the loss with 'dropped: allowed'"
    case .notCarried(let obstacles):
      "copies would lose data: " + obstacles.map(\.description).joined(separator: "; ")
    case .notInferred(let obstacles, let isConverted):
      "\(MigrationError.notLightweight(obstacles)); "
        + (isConverted
          ? "the strategy 'mappingModel' converts the values"
          : "the strategies 'mappingModel' and 'sideBySide' can convert it: name an .xcmappingmodel "
            + "or a map in 'map'")
    case .appCode(let code):
      "the mapping model calls the app's own code: \(Self.first(code)); leave it out with "
        + "'appCode: omitted'"
    case .newAttributeUnique(let entity, let attribute):
      "\(entity): '\(attribute)' is unique, but new: existing objects have no values in it by which "
        + "duplicates could be found"
    case .mixedDuplicates(let constraint):
      "\(constraint.entity): objects of different sub-entities have equal values of "
        + "\(constraint.attributes.map { "'\($0)'" }.joined(separator: ", ")), so neither can "
        + "replace the other; delete one object of each pair first"
    case .damagedExport(let path, let line): "'\(path)' is damaged at object \(line)"
    case .noDate(let entity):
      "\(entity) has no date that identifies the newest object; use another 'survivor'"
    case .chainLoses(let dropped):
      "an intermediate version has no place for \(Self.words(dropped)), which the direct step "
        + "keeps; use the direct step, leave this version out, or allow the loss with 'dropped: "
        + "allowed'"
    case .chainDiffers(let differences):
      "the chain of versions ends with a different store than the direct step, in a way that cannot "
        + "be verified: \(Self.first(differences)); use the direct step"
    case .checkFailed(let difference):
      "the migrated store fails the app's own check: \(difference)"
    case .notAdditive(let changes):
      "an additive migration may only add, but the new model also changes existing elements: "
        + changes.prefix(3).joined(separator: "; ")
    case .storeInUse(let path):
      "'\(path)' has a WAL, so another process has it open; close that process before the store is "
        + "replaced"
    case .unknownVersion(let store, let versions):
      "cannot use a staged migration from an unknown version: the model of '\(store)' is none of "
        + versions.map { "'\($0)'" }.joined(separator: ", ")
        + "; first publish a release that gives the store's model a version"
    }
  }

  private static func first(_ names: [String]) -> String {
    names.prefix(5).joined(separator: "; ")
      + (names.count > 5 ? "; and \(names.count - 5) more" : "")
  }

  /// What goes, counted, the first few.
  static func words(_ dropped: [DroppedColumn]) -> String {
    let more = dropped.count > 5 ? ", and \(dropped.count - 5) more" : ""
    return dropped.prefix(5).map(words).joined(separator: ", ") + more
  }

  private static func words(_ dropped: DroppedColumn) -> String {
    let count = dropped.count ?? 0
    return switch dropped.kind {
    case .objects: "\(Figures.counted(Int(count), "object")) of \(dropped.name)"
    case .attribute: "\(Figures.counted(Int(count), "value")) of \(dropped.name)"
    case .relationship: "\(Figures.counted(Int(count), "link")) of \(dropped.name)"
    }
  }
}
