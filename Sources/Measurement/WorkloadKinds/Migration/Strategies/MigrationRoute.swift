import DataModel
import PersistentStore
import SQLite

/// The lightweight migrations that bring a store to its last model, each from where the one before
/// it has led.
struct MigrationRoute {
  let steps: [(migration: LightweightMigration, hashes: [String: [UInt8]])]

  /// - Throws: ``PersistentStore/MigrationError`` where no lightweight migration leads to a model.
  init(
    from layout: StoreLayout,
    through versions: [VersionPlan.Version],
    shape: LightweightMigration.Shape
  ) throws {
    var layout = layout
    var steps: [(LightweightMigration, [String: [UInt8]])] = []
    for version in versions {
      let migration = try LightweightMigration(from: layout, to: version.model, shape: shape)
      steps.append((migration, version.hashes))
      layout = migration.destination
    }
    self.steps = steps
  }

  /// Migrates step by step, each wholly or not at all; the last one sets entries of the metadata.
  func run(on store: PersistentStore, setting entries: [String: PropertyList?] = [:]) throws {
    for (index, step) in steps.enumerated() {
      try step.migration.run(
        on: store.connection,
        path: store.file.path,
        versionHashes: step.hashes,
        setting: index == steps.count - 1 ? entries : [:]
      )
    }
  }

  /// - Throws: ``MigrationCaseError/chainDiffers(_:)`` where one direct step leads elsewhere.
  func check(against direct: MappingModel) throws {
    guard steps.count > 1 else { return }
    let comparison = ChainComparison(steps: steps.map(\.migration.mapping), direct: direct)
    let differences = comparison.differences
    if !differences.isEmpty { throw MigrationCaseError.chainDiffers(differences) }
  }
}
