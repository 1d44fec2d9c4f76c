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
  enum Path: String, CaseIterable {
    case direct
    /// Every version named on the way, each by a migration of its own.
    case chain
  }

  /// What becomes of the objects that a duplicate's relationships own.
  enum Children: String, CaseIterable {
    /// They are led to the survivor.
    case moved
    /// Nothing is done for them: delete rules decide, and cascades take them.
    case cascaded
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
    /// The new store merges them in silence: what is inserted with a known value updates its object.
    case upserted
  }

  /// What becomes of values of a store of somebody's own that the new model has no place for.
  enum Dropped: String, CaseIterable {
    /// The case is not run.
    case refused
    case allowed
  }

  /// What a copy does about a missing value that the new model requires.
  enum MissingValues: String, CaseIterable {
    /// The model's default where it has one; otherwise the save fails.
    case fail
    /// The object is left out.
    case skip
    /// The model's default, or else an empty value of the type.
    case standIn = "default"
  }

  /// What becomes of a new store's history.
  enum History: String, CaseIterable {
    /// The new store keeps history where the old one does.
    case kept
    /// The new store keeps history, as SwiftData's do.
    case on
  }

  enum ExportFormat: String, CaseIterable {
    case compressed
    case plain
  }

  /// How the app itself makes sure of a migration before it trusts the result.
  enum Check: String, CaseIterable {
    case none
    /// The number of objects of each entity.
    case counts
    /// Twenty objects of each entity, value by value.
    case spotChecks
    /// Every object, every value and every relationship.
    case full
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
  let path: Path
  let via: [String]
  let wrapper: Bool
  let duplicates: Duplicates
  let survivor: SurvivorRule
  let newestBy: String
  let children: Children
  let saves: Saves
  let batchSize: Int
  let hook: Hook
  let entity: String
  let attribute: String
  let transformation: ValueTransformation
  let backup: StoreBackup.Method
  let rollsBack: Bool
  let onNil: MissingValues
  let history: History
  let export: ExportFormat
  let check: Check
  let swaps: Bool
  let thread: MainLoop.Place
  let beside: String
  let dropped: Dropped

  init(_ values: ParameterValues) {
    strategy = values.choice("strategy") ?? .lightweight
    shape = values.text("shape")
    engine = values.choice("engine") ?? .objectGraph
    from = values.text("from")
    to = values.text("to")
    path = values.choice("path") ?? .direct
    via = values.list("via")
    wrapper = values.boolean("wrapper")
    duplicates = values.choice("duplicates") ?? .ignored
    survivor = values.choice("survivor") ?? .first
    newestBy = values.text("newestBy")
    children = values.choice("children") ?? .moved
    saves = values.choice("saves") ?? .batches
    batchSize = values.integer("batchSize")
    hook = values.choice("hook") ?? .didMigrate
    entity = values.text("entity")
    attribute = values.text("attribute")
    transformation = values.choice("transformation") ?? .automatic
    backup = values.choice("backup") ?? .none
    rollsBack = values.boolean("rollback")
    onNil = values.choice("onNil") ?? .fail
    history = values.choice("history") ?? .kept
    export = values.choice("export") ?? .compressed
    check = values.choice("check") ?? .none
    swaps = values.boolean("swap")
    thread = values.choice("thread") ?? .none
    beside = values.text("beside")
    dropped = values.choice("dropped") ?? .refused
  }
}
