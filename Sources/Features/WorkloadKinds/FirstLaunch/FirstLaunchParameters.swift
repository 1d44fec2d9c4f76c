import PersistentStore
import Runner

/// The parameters of one first-launch case.
///
/// Parameters shared with the migration kind have the same meaning in both kinds.
struct FirstLaunchParameters: ParameterSet {
  @Parameter("how the store gets to the new model") var strategy = Strategy.inPlace
  @Parameter("how a lightweight migration gives tables their new columns (assumed)")
  var shape = Shape.inPlace
  @Parameter("what copies objects into a new store; 'bareSQL' is a lower bound")
  var engine = PlainEngine.bareSQL
  @Parameter(.path, "the model of the release that the user has") var from = ""
  @Parameter(
    .path,
    "the model of the update, or a store that has it; +ENTITY adds an attribute to your own model"
  )
  var to = ""
  @Parameter(
    .paths,
    "the models of the releases before, oldest first; those after 'from' are passed"
  )
  var via: [String] = []
  @Parameter("how the store is copied before") var backup = StoreBackup.Method.none
  @Parameter("how the app itself checks the result") var check = MigrationParameters.Check.none
  @Parameter(1...1_000_000, "objects a save") var batchSize = 1000
  @Parameter("what happens to values of your store for which the new model has no property")
  var dropped = MigrationParameters.Dropped.refused
  @Parameter("what the app shows until the migration is complete") var meanwhile = Meanwhile.nothing
  @Parameter(
    0...1_000_000_000,
    "SQLite's steps after which a watchdog ends a launch; 0 for no watchdog"
  )
  var stepsPerLaunch = 0
  @Parameter(0...100, "free disk as a multiple of the store's bytes; 0 for enough") var free = 0.0
  @Parameter("whether the app compares its estimate with the free disk before it begins")
  var spaceCheck = false

  var irrelevant: Set<ParameterName> {
    let inner = migration
    let relevance = [
      ($shape, strategy == .inPlace || strategy == .onCopy),
      ($engine, strategy == .sideBySide), ($via, inner.isInPlace), ($backup, !inner.isInNewFile),
      ($batchSize, !inner.irrelevant.contains(inner.$batchSize)), ($meanwhile, inner.isInNewFile),
      ($spaceCheck, free > 0),
    ]
    return Set(relevance.filter { !$0.1 }.map(\.0))
  }

  var impossibility: String? { migration.impossibility }
}

extension FirstLaunchParameters {
  /// The strategies of the migration kind by which the store can be migrated to the new model.
  enum Strategy: String, CaseIterable, Sendable {
    /// A lightweight migration of the store's own file.
    case inPlace
    /// A lightweight migration that defers the removal of tables and columns.
    case deferred
    /// A lightweight migration of a copy. The copy then replaces the store.
    case onCopy
    /// A new store, filled with copies of the objects. It then replaces the old store.
    case sideBySide
    /// A new store, filled one record at a time; a later launch continues where an earlier launch
    /// stopped.
    case gradual
    /// Core Data's migration with a mapping model, with all objects in memory.
    case mappingModel
  }

  enum Shape: String, CaseIterable, Sendable {
    case inPlace
    case rebuild
  }

  /// The screen that the app shows until the migration is complete.
  enum Meanwhile: String, CaseIterable, Sendable {
    /// Only the launch screen.
    case nothing
    /// The first screen, read from the old store through a read-only connection.
    case oldStore
  }

  /// The parameter values of the migration that the launch runs.
  ///
  /// These are this case's parameters with the same names, and the values that its strategy
  /// implies.
  var migrationValues: ParameterValues {
    let inner: MigrationParameters.Strategy =
      switch strategy {
      case .inPlace, .deferred: .lightweight
      case .onCopy: .onCopy
      case .sideBySide: .sideBySide
      case .gradual: .gradual
      case .mappingModel: .mappingModel
      }
    let isInNewFile = inner != .lightweight
    return ParameterValues(
      values.values.merging([
        "strategy": .text(inner.rawValue),
        "shape": .text(strategy == .deferred ? "deferred" : shape.rawValue),
        "via": .list(skipped),
        "swap": .boolean(isInNewFile),
        "backup": .text(isInNewFile ? StoreBackup.Method.none.rawValue : backup.rawValue),
        "engine": .text(strategy == .sideBySide ? engine.rawValue : "objectGraph"),
        // Assume that an app whose update adds a unique constraint has merged duplicates in an
        // earlier release.
        "duplicates": .text(MigrationParameters.Duplicates.removed.rawValue),
      ]) { $1 }
    )
  }

  /// The releases between the user's release and the update; the app contains their models.
  private var skipped: [String] {
    via.firstIndex(of: from).map { Array(via[($0 + 1)...]) } ?? via
  }

  var migration: MigrationParameters { MigrationParameters(migrationValues) }
}
