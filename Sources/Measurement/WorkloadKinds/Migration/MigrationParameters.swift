import PersistentStore
import Runner

/// What one case of the migration kind is about.
package struct MigrationParameters: ParameterSet {
  /// How the objects get into the new model.
  enum Strategy: String, CaseIterable, Sendable {
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
  enum Path: String, CaseIterable, Sendable {
    case direct
    /// Every version named on the way, each by a migration of its own.
    case chain
  }

  /// What becomes of the objects that a duplicate's relationships own.
  enum Children: String, CaseIterable, Sendable {
    /// They are led to the survivor.
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
    /// The new store merges them in silence: what is inserted with a known value updates its object.
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

  @Parameter("how objects get to the new model") var strategy = Strategy.lightweight
  @Parameter("how tables get their new columns") var shape = LightweightMigration.Shape.inPlace
  @Parameter("what reads and writes the objects") var engine = Engine.objectGraph
  @Parameter(.path, "a model that the store is brought to before") var from = ""
  @Parameter(
    .path,
    "the model to migrate to, or a store that has it; +ENTITY adds an attribute to your own model"
  )
  var to = ""
  @Parameter("which versions are gone through") var path = Path.direct
  @Parameter(.paths, "the versions on the way, or that a plan knows") var via: [String] = []
  @Parameter("whether a release before gave the store's own model a version") var wrapper = false
  @Parameter("what becomes of objects that break new unique constraints")
  var duplicates = Duplicates.ignored
  @Parameter("which of several duplicates stays") var survivor = SurvivorRule.first
  @Parameter(.name, "the date that says which object is the newest") var newestBy = ""
  @Parameter("what becomes of their children") var children = Children.moved
  @Parameter("how often copies are saved") var saves = Saves.batches
  @Parameter(1...1_000_000, "objects a save") var batchSize = 1000
  @Parameter("when a custom stage transforms values") var hook = Hook.didMigrate
  @Parameter(.name, "the entity whose values are transformed") var entity = ""
  @Parameter(.name, "the attribute that is transformed") var attribute = ""
  @Parameter("what is done to its values") var transformation = ValueTransformation.automatic
  @Parameter("how the store is copied before") var backup = StoreBackup.Method.none
  @Parameter(named: "rollback", "whether the backup is put back at the end") var rollsBack = false
  @Parameter("what is done about missing values that the new model requires")
  var onNil = MissingValues.fail
  @Parameter("whether a new store keeps history") var history = History.kept
  @Parameter("how an export is written") var export = ExportFormat.compressed
  @Parameter("how the app itself checks the result") var check = Check.none
  @Parameter(named: "swap", "whether the new store takes the old one's place") var swaps = false
  @Parameter("where the main loop is meanwhile") var thread = MainLoop.Place.none
  @Parameter(.name, "the old attribute that an additive one is made of") var beside = ""
  @Parameter("what becomes of your store's values that the new model has no place for")
  var dropped = Dropped.refused

  package init() {}
}
