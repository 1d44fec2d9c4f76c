import Basics
import DataModel
import PersistentStore
import Runner

/// The parameters of one migration case.
package struct MigrationParameters: ParameterSet {
  enum Strategy: String, CaseIterable, Sendable {
    /// A migration inferred from the two models, within the store's file.
    case lightweight
    /// A migration inferred from the two models, within a copy of the store; the old store is kept.
    case onCopy
    /// A lightweight migration, with values transformed before or after it.
    case customStage
    /// A new store, filled with copies of the objects; the old store is kept.
    case sideBySide
    /// An export of all objects to compressed JSON, and an import into a new store.
    case exportImport
    /// Core Data's migration with a mapping model: a new store, filled in three passes with all
    /// objects in memory. Without a map, values are converted too.
    case mappingModel
    /// A plan of versions: the store is migrated from its own version through each later version in
    /// turn.
    case staged
    /// A new store, filled one record at a time through an app's own storage layer: each record is
    /// found or created, updated and saved.
    case gradual
    /// A new attribute next to the old one, filled in batches while the app reads both: the only
    /// strategy that CloudKit permits.
    case additive
  }

  /// How the children of a duplicate are treated when it is deleted.
  enum Children: String, CaseIterable, Sendable {
    /// The children are moved to the survivor, the object that is kept.
    case moved
    /// The children are left to the delete rules, so cascades delete them.
    case cascaded
  }

  enum Duplicates: String, CaseIterable, Sendable {
    /// Duplicates are not treated, because the store is expected to have no duplicates.
    case ignored
    /// Duplicates are merged before the timed work.
    case removed
    /// Duplicates are merged in a timed phase before the migration.
    case merged
    /// Duplicates are not treated, so the migration must fail.
    case failing
    /// The new store merges duplicates silently: inserting an object with existing unique values
    /// updates the existing object.
    case upserted
  }

  /// How values of a user's own store are treated if the new model has no property for them.
  enum Dropped: String, CaseIterable, Sendable {
    case refused
    case allowed
  }

  /// How a copy treats a missing value that the new model requires.
  enum MissingValues: String, CaseIterable, Sendable {
    /// Uses the model's default for a missing value; if the model has no default, the save fails.
    case fail
    /// Skips an object that lacks a required value.
    case skip
    case standIn = "default"
  }

  enum History: String, CaseIterable, Sendable {
    /// The new store keeps history if the old one does.
    case kept
    /// The new store keeps history, as SwiftData's stores do.
    case on
  }

  enum AppCode: String, CaseIterable, Sendable {
    /// The case does not run, and the message names the code.
    case refused
    /// Migration policies are omitted, and values and relationships that functions would set stay
    /// empty.
    case omitted
  }

  enum Check: String, CaseIterable, Sendable {
    case none
    /// Compares the number of objects of each entity.
    case counts
    /// Compares every object, value and relationship.
    case full
  }

  /// When a custom stage transforms values: after the migration, in the new model, or before it, in
  /// the old model.
  enum Hook: String, CaseIterable, Sendable {
    case didMigrate
    case willMigrate
  }

  @Parameter("how objects are migrated to the new model") var strategy = Strategy.lightweight
  @Parameter("how tables get their new columns") var shape = LightweightMigration.Shape.inPlace
  @Parameter("what copies the objects; 'bareSQL', the lower bound, only with 'sideBySide'")
  var engine = PlainEngine.objectGraph
  @Parameter(.path, "a model to which the store is migrated first, untimed") var from = ""
  @Parameter(
    .path,
    "the model to migrate to, or a store that has it; +ENTITY adds an attribute to your own model"
  )
  var to = ""
  @Parameter(
    .path,
    "a map file or an .xcmappingmodel, which assigns old entities and properties to new ones"
  )
  var map = ""
  @Parameter(
    "what happens to the policies and functions of a mapping model, which are the app's code"
  )
  var appCode = AppCode.refused
  @Parameter(.paths, "the versions between, each migrated to in turn") var via: [String] = []
  @Parameter("whether an earlier release only added a version identifier to the store's model")
  var wrapper = false
  @Parameter("what happens to objects that break new unique constraints")
  var duplicates = Duplicates.ignored
  @Parameter("which of several duplicates is kept") var survivor = SurvivorRule.first
  @Parameter("what happens to the children of duplicates") var children = Children.moved
  @Parameter(0...1_000_000, "number of objects in a save; 0 for one save at the end")
  var batchSize = 1000
  @Parameter("when a custom stage transforms values") var hook = Hook.didMigrate
  @Parameter(.name, "entity whose values are transformed") var entity = ""
  @Parameter(.name, "the attribute that is transformed") var attribute = ""
  @Parameter("how the values are transformed") var transformation = ValueTransformation.automatic
  @Parameter("how the store is backed up before the migration") var backup = StoreBackup.Method.none
  @Parameter(named: "rollback", "whether the backup is restored at the end") var rollsBack = false
  @Parameter("what happens to missing values that the new model requires")
  var onNil = MissingValues.fail
  @Parameter("whether a new store keeps history") var history = History.kept
  @Parameter("how the app itself checks the result") var check = Check.none
  @Parameter(named: "swap", "whether the new store replaces the old store") var swaps = false
  @Parameter("what the main loop does meanwhile") var thread = MainLoop.Place.none
  @Parameter(.name, "the old attribute from which an additive migration fills the new attribute")
  var beside = ""
  @Parameter("what happens to values for which the new model has no property")
  var dropped = Dropped.refused

  package init() {}
}

extension MigrationParameters {
  /// Whether the migration fills a new store with copies of the objects.
  var leavesNewStore: Bool {
    [.sideBySide, .exportImport, .gradual, .mappingModel].contains(strategy)
  }

  var isInNewFile: Bool { leavesNewStore || strategy == .onCopy }

  var isInPlace: Bool {
    [.lightweight, .onCopy, .customStage, .staged, .additive].contains(strategy)
  }

  /// Whether the store is migrated through the versions in `via`.
  var goesThroughVersions: Bool { strategy == .staged || (isInPlace && !via.isEmpty) }

  var fetchBatchSize: Int { batchSize > 0 ? batchSize : 1000 }

  var archives: Bool { strategy == .customStage && transformation == .codableJSON }

  /// Whether the case's engine processes objects.
  var usesEngine: Bool {
    leavesNewStore || strategy == .customStage || strategy == .additive || duplicates == .merged
  }

  var mergeWords: String {
    let words = "merged into the \(survivor.rawValue)"
    return children == .moved ? words : words + ", children left to cascades"
  }

  package var irrelevant: Set<ParameterName> {
    let usesObjects = usesEngine && engine == .objectGraph && strategy != .mappingModel
    let hasStage = strategy == .customStage || strategy == .additive
    let merges = duplicates == .merged
    let relevance = [
      ($engine, usesEngine && strategy != .mappingModel), ($batchSize, usesObjects),
      ($onNil, leavesNewStore), ($history, leavesNewStore), ($swaps, isInNewFile),
      ($map, isMapped), ($appCode, isMapped), ($shape, isInPlace), ($via, goesThroughVersions),
      ($wrapper, strategy == .staged), ($hook, strategy == .customStage), ($entity, hasStage),
      ($attribute, hasStage), ($transformation, hasStage), ($beside, strategy == .additive),
      ($survivor, merges), ($children, merges),
    ]
    return Set(relevance.filter { !$0.1 }.map(\.0))
  }

  package var impossibility: String? {
    if from == to && !to.isEmpty {
      return "'\(to)' is already the model of the store: name a different model"
    }
    if rollsBack && backup == .none {
      return "a rollback needs a backup: set 'backup' to a value other than 'none'"
    }
    let isPlain = engine == .bareSQL && usesEngine
    if isPlain && strategy != .sideBySide {
      return
        "only 'sideBySide' copies by plain SQL, which no app ships: use the engine 'objectGraph'"
    }
    if isPlain && (isMapped || onNil != .fail || duplicates == .merged || duplicates == .upserted) {
      return
        "plain SQL copies rows as they are: use the engine 'objectGraph' for a map, for 'onNil' and "
        + "for duplicates that are merged"
    }
    if isMapped && isInPlace && !via.isEmpty {
      return "a map migrates in one step: leave out 'via'"
    }
    if isMapped && !from.isEmpty {
      return "a map starts from the store's own model: leave out 'from'"
    }
    let mayRemove = strategy == .mappingModel && !isMapped
    if leavesNewStore && (isMapped || mayRemove)
      && (duplicates == .merged || duplicates == .upserted || duplicates == .removed && !mayRemove)
    {
      return "a map does not merge duplicates: use 'duplicates: ignored'"
    }
    let isChain = isInPlace && !via.isEmpty && strategy != .staged
    if isChain && strategy == .additive {
      return "an additive migration is one step: leave out 'via'"
    }
    if isChain && (via.contains(to) || via.contains(from)) {
      return "'via' must name only versions between the first and the last"
    }
    if isChain && duplicates == .failing {
      return "a chain that fails at its last step has already changed the store: leave out 'via'"
    }
    if strategy == .additive && transformation == .codableJSON {
      return "an additive migration cannot transform archives: use the strategy 'customStage'"
    }
    if strategy == .additive && duplicates != .ignored {
      return "an additive migration adds no unique constraint: use 'duplicates: ignored'"
    }
    if strategy == .gradual && duplicates == .failing {
      return "a gradual migration updates existing objects, so duplicates cause no failure: use "
        + "'duplicates: upserted'"
    }
    if (strategy == .additive || strategy == .gradual) && batchSize == 0 {
      return "this strategy saves as it goes on: set 'batchSize'"
    }
    if duplicates == .upserted && !leavesNewStore {
      return "only objects that are inserted into a new store are merged without an error: use the "
        + "strategy 'sideBySide', 'exportImport' or 'gradual'"
    }
    if check != .none && !isInNewFile && backup == .none {
      return "a migration in its own file can only be checked against a backup: set 'backup'"
    }
    if check != .none && children == .cascaded && duplicates == .merged {
      return "the check would fail because cascades delete children: use 'check: none'"
    }
    return nil
  }

  var takesMap: Bool { leavesNewStore || strategy == .lightweight }

  /// Whether the case uses a map file.
  var isMapped: Bool { takesMap && !map.isEmpty }

  /// The mapping between two models: from the map file, or as inferred.
  ///
  /// - Throws: ``DataModel/DataModelError``, ``DataModel/MigrationMapError``, and ``Refusal`` if
  ///   the map contains an app's own code.
  func mapping(
    from source: Model,
    to destination: Model,
    _ files: ModelFiles
  ) throws -> MappingModel {
    guard isMapped else {
      guard strategy == .mappingModel else { return MappingModel(from: source, to: destination) }
      return try MappingModel(from: source, to: destination, by: MigrationMap(entities: []))
    }
    let path = files.path(of: map)
    var map = try MigrationMap.read(path: path, from: source, to: destination)
    let code = map.appCode
    if !code.isEmpty {
      guard appCode == .omitted else {
        throw Refusal(
          .badInput,
          "the mapping model calls the app's own code: \(firstFew(code)); leave it out with "
            + "'appCode: omitted'"
        )
      }
      map = map.withoutAppCode
    }
    do {
      return try MappingModel(from: source, to: destination, by: map)
    } catch {
      throw InvalidInput(error.problems.map { Diagnostic(file: path, message: $0) })
    }
  }
}
