import DataModel
import PersistentStore
import Runner

/// What one case of the migration kind is about.
package struct MigrationParameters: ParameterSet {
  /// How the objects get into the new model.
  enum Strategy: String, CaseIterable, Sendable {
    /// A migration inferred from the two models, inside the store's file.
    case lightweight
    /// A migration inferred from the two models, inside a copy of the store; the old one stays.
    case onCopy
    /// A lightweight migration with values transformed before or after it.
    case customStage
    /// A new store, filled with copies of the objects; the old one stays.
    case sideBySide
    /// All objects written to compressed JSON, then read into a new store.
    case exportImport
    /// The frameworks' migration by a mapping model: a new store, filled in three passes with all
    /// objects in memory. Without a map it converts what no inferred mapping can.
    case mappingModel
    /// A migration plan of versions: the store's own is found among them, and each later one is
    /// migrated to in turn.
    case staged
    /// A new store, filled one record at a time through an app's own storage interface: found or
    /// created, updated, saved.
    case gradual
    /// The new attribute comes beside the old one, and is filled batch by batch while both are
    /// read: the one way that CloudKit leaves.
    case additive
  }

  /// Which versions a migration inside the store's file goes through.
  enum Path: String, CaseIterable, Sendable {
    case direct
    /// Every version named on the way, each by a migration of its own.
    case chain
  }

  /// What becomes of the objects that a duplicate's relationships own.
  enum Children: String, CaseIterable, Sendable {
    /// Their relationships are set to the survivor.
    case moved
    /// Nothing is done for them: delete rules decide, and cascades take them.
    case cascaded
  }

  enum Engine: String, CaseIterable, Sendable {
    case objectGraph
    case bareSQL
    case grdb
  }

  /// What becomes of objects that break the target's new unique constraints.
  enum Duplicates: String, CaseIterable, Sendable {
    /// Nothing is done about them, and none are expected.
    case ignored
    /// They are merged before anything is timed.
    case removed
    /// They are merged as a timed phase before the migration.
    case merged
    /// Nothing is done about them, and the migration must fail on them.
    case failing
    /// The new store merges them in silence: what is inserted with a known value updates its
    /// object.
    case upserted
  }

  /// What becomes of values of a store of somebody's own that the new model has no place for.
  enum Dropped: String, CaseIterable, Sendable {
    /// The case is not run.
    case refused
    case allowed
  }

  /// What a copy does about a missing value that the new model requires.
  enum MissingValues: String, CaseIterable, Sendable {
    /// The model's default where it has one; otherwise the save fails.
    case fail
    /// The object is left out.
    case skip
    /// The model's default, or else an empty value of the type.
    case standIn = "default"
  }

  /// What becomes of a new store's history.
  enum History: String, CaseIterable, Sendable {
    /// The new store keeps history where the old one does.
    case kept
    /// The new store keeps history, as SwiftData's do.
    case on
  }

  /// What becomes of what only an app's own code makes: policies and functions of a mapping model.
  enum AppCode: String, CaseIterable, Sendable {
    /// The case is not run, and the message names the code.
    case refused
    /// Policies are left out, and values and relationships made by functions stay empty.
    case omitted
  }

  enum ExportFormat: String, CaseIterable, Sendable {
    case compressed
    case plain
  }

  /// How the app itself makes sure of a migration before it trusts the result.
  enum Check: String, CaseIterable, Sendable {
    case none
    /// The number of objects of each entity.
    case counts
    /// Twenty objects of each entity, value by value.
    case spotChecks
    /// Every object, every value and every relationship.
    case full
  }

  enum Saves: String, CaseIterable, Sendable {
    case batches
    case one
  }

  /// When a custom stage transforms values: on the old model or on the new one.
  enum Hook: String, CaseIterable, Sendable {
    case didMigrate
    case willMigrate
  }

  @Parameter("how objects are migrated to the new model") var strategy = Strategy.lightweight
  @Parameter("how tables get their new columns") var shape = LightweightMigration.Shape.inPlace
  @Parameter("the engine that reads and writes the objects") var engine = Engine.objectGraph
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
  @Parameter("through which versions the store is migrated") var path = Path.direct
  @Parameter(.paths, "the versions between, or the versions of a staged migration") var via:
    [String] = []
  @Parameter("whether an earlier release only added a version identifier to the store's model")
  var wrapper = false
  @Parameter("what happens to objects that break new unique constraints")
  var duplicates = Duplicates.ignored
  @Parameter("which of several duplicates is kept") var survivor = SurvivorRule.first
  @Parameter(.name, "date attribute that decides which object is the newest") var newestBy = ""
  @Parameter("what happens to the children of duplicates") var children = Children.moved
  @Parameter("how often copies are saved") var saves = Saves.batches
  @Parameter(1...1_000_000, "number of objects in a save") var batchSize = 1000
  @Parameter("when a custom stage transforms values") var hook = Hook.didMigrate
  @Parameter(.name, "entity whose values are transformed") var entity = ""
  @Parameter(.name, "the attribute that is transformed") var attribute = ""
  @Parameter("how the values are transformed") var transformation = ValueTransformation.automatic
  @Parameter("how the store is backed up before the migration") var backup = StoreBackup.Method.none
  @Parameter(named: "rollback", "whether the backup is restored at the end") var rollsBack = false
  @Parameter("what happens to missing values that the new model requires")
  var onNil = MissingValues.fail
  @Parameter("whether a new store keeps history") var history = History.kept
  @Parameter("how an export is written") var export = ExportFormat.compressed
  @Parameter("how the app itself checks the result") var check = Check.none
  @Parameter(named: "swap", "whether the new store replaces the old store") var swaps = false
  @Parameter("what the main loop does meanwhile") var thread = MainLoop.Place.none
  @Parameter(.name, "the old attribute from which an additive migration fills the new attribute")
  var beside = ""
  @Parameter("what happens to values for which the new model has no property")
  var dropped = Dropped.refused

  package init() {}
}

/// What a case's parameters mean together.
extension MigrationParameters {
  /// Whether copies of the objects fill a new store.
  var leavesNewStore: Bool {
    [.sideBySide, .exportImport, .gradual, .mappingModel].contains(strategy)
  }

  /// Whether the old store stays until its successor is complete.
  var isInNewFile: Bool { leavesNewStore || strategy == .onCopy }

  /// Whether a file of the store, its own or a copy, is migrated by inferred mappings.
  var isInPlace: Bool {
    [.lightweight, .onCopy, .customStage, .staged, .additive].contains(strategy)
  }

  /// Whether the versions in `via` are gone through.
  var goesThroughVersions: Bool { isInPlace && path == .chain || strategy == .staged }

  /// Whether the case is about archives in a Transformable attribute.
  var archives: Bool { strategy == .customStage && transformation == .codableJSON }

  /// Whether any object passes through the engine named.
  var usesEngine: Bool {
    leavesNewStore || strategy == .customStage || strategy == .additive || duplicates == .merged
  }

  /// What merging leaves, for the name of the end state: like cases reach one content.
  var mergeWords: String {
    var words = "merged into the \(survivor.rawValue)"
    if survivor == .newest, !newestBy.isEmpty { words += " by \(newestBy)" }
    return children == .moved ? words : words + ", children left to cascades"
  }

  package var irrelevant: Set<ParameterName> {
    var names: Set<ParameterName> = []
    if !usesEngine || strategy == .mappingModel { names.insert($engine) }
    let isBatched = usesEngine && engine != .bareSQL && strategy != .mappingModel
    if !isBatched { names.formUnion([$saves, $batchSize]) }
    if strategy == .gradual { names.insert($saves) }
    if !leavesNewStore { names.formUnion([$onNil, $history]) }
    if !isInNewFile { names.insert($swaps) }
    if !isMapped { names.formUnion([$map, $appCode]) }
    if strategy != .exportImport { names.insert($export) }
    if !isInPlace { names.formUnion([$shape, $path]) }
    if strategy == .staged { names.insert($path) } else { names.insert($wrapper) }
    if path == .direct || !isInPlace, strategy != .staged { names.insert($via) }
    if strategy != .customStage { names.insert($hook) }
    if strategy != .customStage, strategy != .additive {
      names.formUnion([$entity, $attribute, $transformation])
    }
    if strategy == .additive { names.insert($saves) } else { names.insert($beside) }
    if duplicates != .merged { names.formUnion([$survivor, $newestBy, $children]) }
    if survivor != .newest { names.insert($newestBy) }
    return names
  }

  package var impossibility: String? {
    if from == to, !to.isEmpty {
      return "'\(to)' is already the model of the store: name a different model"
    }
    if rollsBack, backup == .none {
      return "a rollback needs a backup: set 'backup' to a value other than 'none'"
    }
    if engine == .grdb, strategy != .sideBySide {
      return "GRDB copies rows side by side only: use the strategy 'sideBySide'"
    }
    return impossibleMap ?? impossibleMerge ?? impossiblePath ?? impossibleCopy ?? impossibleCheck
  }

  /// Whether a map file may say what becomes of the objects.
  var takesMap: Bool { leavesNewStore || strategy == .lightweight }

  /// Whether one says so.
  var isMapped: Bool { takesMap && !map.isEmpty }

  /// The mapping between two models: by the map at a path, as a mapping model infers it, or as a
  /// lightweight migration does.
  ///
  /// - Throws: ``DataModel/DataModelError``, ``DataModel/MigrationMapError`` and
  ///   ``MigrationCaseError/appCode(_:)``.
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
      guard appCode == .omitted else { throw MigrationCaseError.appCode(code) }
      map = map.withoutAppCode
    }
    do {
      return try MappingModel(from: source, to: destination, by: map)
    } catch {
      throw DataModelError.invalid(error.problems.map { Diagnostic(file: path, message: $0) })
    }
  }

  private var impossibleMap: String? {
    guard isMapped || strategy == .mappingModel else { return nil }
    if isMapped {
      if path == .chain, isInPlace { return "a map migrates in one step: use 'path: direct'" }
      if !from.isEmpty { return "a map starts from the store's own model: leave out 'from'" }
    }
    guard leavesNewStore, isMapped || duplicates != .removed else { return nil }
    if duplicates != .ignored, duplicates != .failing {
      return "a map does not merge duplicates: use 'duplicates: ignored'"
    }
    return nil
  }

  private var impossibleCopy: String? {
    if transformation == .codableJSON, strategy == .customStage, engine != .objectGraph {
      return "archives are read by code, not by SQL: use the engine 'objectGraph'"
    }
    if transformation == .codableJSON, strategy == .additive {
      return "an additive migration cannot transform archives: use the strategy 'customStage'"
    }
    if strategy == .additive, engine != .objectGraph {
      return "a backfill while the app reads must use objects: use the engine 'objectGraph'"
    }
    if strategy == .additive, path == .chain {
      return "an additive migration is one step: use 'path: direct'"
    }
    if strategy == .additive, duplicates != .ignored {
      return "an additive migration adds no unique constraint: use 'duplicates: ignored'"
    }
    let isByObjects = leavesNewStore && engine == .objectGraph
    if strategy == .exportImport, engine != .objectGraph {
      return "an export is written from objects and read into them: use the engine 'objectGraph'"
    }
    if strategy == .gradual, engine != .objectGraph {
      return "a gradual migration saves object by object: use the engine 'objectGraph'"
    }
    if strategy == .gradual, duplicates == .failing {
      return "a gradual migration updates existing objects, so duplicates cause no failure: use "
        + "'duplicates: upserted'"
    }
    if leavesNewStore, onNil != .fail, !isByObjects {
      return "SQL copies missing values as they are: use the engine 'objectGraph' for 'onNil'"
    }
    if duplicates == .upserted, !isByObjects {
      return "only objects that are inserted into a new store are merged without an error: use the "
        + "engine 'objectGraph' and the strategy 'sideBySide', 'exportImport' or 'gradual'"
    }
    return nil
  }

  private var impossibleCheck: String? {
    guard check != .none else { return nil }
    if !isInNewFile, backup == .none {
      return "a migration in its own file can only be checked against a backup: set 'backup'"
    }
    if children == .cascaded, duplicates == .merged {
      return "the check would fail because cascades delete children: use 'check: none'"
    }
    return nil
  }

  private var impossibleMerge: String? {
    guard duplicates == .merged else { return nil }
    if engine == .grdb { return "GRDB's rows are not merged: use 'duplicates: removed'" }
    if children == .cascaded, engine == .bareSQL {
      return "SQL follows no delete rules: use the engine 'objectGraph' for 'children: cascaded'"
    }
    return nil
  }

  private var impossiblePath: String? {
    guard isInPlace else { return nil }
    if path == .chain, strategy != .staged {
      if via.isEmpty { return "a chain needs versions between: name them in 'via'" }
      if via.contains(to) || via.contains(from) {
        return "'via' must name only versions between the first and the last"
      }
      if duplicates == .failing {
        return "a chain that fails at its last step has already changed the store: use 'path: "
          + "direct'"
      }
    }
    return nil
  }
}
