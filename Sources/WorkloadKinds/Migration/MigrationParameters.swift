import Runner

/// What one case of the migration kind is about.
struct MigrationParameters: Hashable, Sendable {
  /// How the objects get into the new model.
  enum Strategy: String, CaseIterable {
    /// A migration inferred from the two models, inside the store's file.
    case lightweight
    /// A lightweight migration with values transformed before or after it.
    case customStage
    /// A new store, filled with copies of the objects; the old one stays.
    case sideBySide
    /// All objects written to compressed JSON, then read into a new store.
    case exportImport
  }

  enum Engine: String, CaseIterable {
    case objectGraph
    case bareSQL
    case grdb
  }

  /// What becomes of objects that break the target's new unique constraints.
  enum Duplicates: String, CaseIterable {
    /// Nothing is done about them, and none are expected.
    case ignored
    /// They are merged before anything is timed.
    case removed
    /// They are merged as a timed phase before the migration.
    case merged
    /// Nothing is done about them, and the migration must fail on them.
    case failing
  }

  enum Saves: String, CaseIterable {
    case batches
    case one
  }

  /// When a custom stage transforms values: on the old model or on the new one.
  enum Hook: String, CaseIterable {
    case didMigrate
    case willMigrate
  }

  let strategy: Strategy
  let shape: String
  let engine: Engine
  let from: String
  let to: String
  let duplicates: Duplicates
  let saves: Saves
  let batchSize: Int
  let hook: Hook
  let entity: String
  let attribute: String
  let transformation: ValueTransformation
  let backup: StoreBackup.Method
  let rollsBack: Bool

  init(_ values: ParameterValues) {
    strategy = values.choice("strategy") ?? .lightweight
    shape = values.text("shape")
    engine = values.choice("engine") ?? .objectGraph
    from = values.text("from")
    to = values.text("to")
    duplicates = values.choice("duplicates") ?? .ignored
    saves = values.choice("saves") ?? .batches
    batchSize = values.integer("batchSize")
    hook = values.choice("hook") ?? .didMigrate
    entity = values.text("entity")
    attribute = values.text("attribute")
    transformation = values.choice("transformation") ?? .automatic
    backup = values.choice("backup") ?? .none
    rollsBack = values.boolean("rollback")
  }

  /// Whether the objects end in a store of their own.
  var leavesNewStore: Bool { strategy == .sideBySide || strategy == .exportImport }

  /// Whether any object passes through the engine named.
  var usesEngine: Bool { strategy != .lightweight || duplicates == .merged }

  /// The parameters that change nothing in the case.
  var irrelevant: Set<String> {
    var names: Set<String> = []
    if !usesEngine { names.insert("engine") }
    let isBatched = usesEngine && engine != .bareSQL
    if !isBatched { names.formUnion(["saves", "batchSize"]) }
    if strategy != .lightweight, strategy != .customStage { names.insert("shape") }
    if strategy != .customStage {
      names.formUnion(["hook", "entity", "attribute", "transformation"])
    }
    return names
  }

  /// Why the case cannot be run.
  var impossibility: String? {
    if from == to { return "'\(to)' is where the store starts already: name another model" }
    if rollsBack, backup == .none {
      return "a rollback needs a backup: set 'backup' to another value than 'none'"
    }
    if engine == .grdb, strategy != .sideBySide {
      return "GRDB copies rows side by side only: use the strategy 'sideBySide'"
    }
    if engine == .grdb, duplicates == .merged {
      return "GRDB's rows are not merged: use 'duplicates: removed'"
    }
    return nil
  }
}
