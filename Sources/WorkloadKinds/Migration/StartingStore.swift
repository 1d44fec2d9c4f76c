import DataModel
import PersistentStore
import Runner
import SQLite

/// Makes the store that a case starts from: at an older model, or without duplicates.
struct StartingStore {
  let parameters: MigrationParameters
  let trial: Trial

  func make() throws {
    if !parameters.from.isEmpty { try bring(to: parameters.from) }
    if parameters.duplicates == .removed { try removeDuplicates() }
    if parameters.strategy == .staged { try removeVersion() }
  }

  /// Makes the store one of an app that has not thought of versions yet.
  private func removeVersion() throws {
    let store = try MigrationSession.open(trial.store, of: trial)
    var model = store.model
    model.versionIdentifiers = [""]
    try MigrationRoute(
      from: store.layout,
      through: [VersionPlan.Version(name: "", model: model)],
      shape: .inPlace
    ).run(on: store)
    try store.connection.checkpoint()
  }

  /// Rebuilds the store at a model, so that it looks as if it had always had it.
  private func bring(to path: String) throws {
    let store = try MigrationSession.open(trial.store, of: trial)
    let model = try MigrationSession.version(at: path, in: trial).model
    let migration = try LightweightMigration(from: store.layout, to: model, shape: .rebuild)
    try migration.run(on: store.connection, path: trial.store.path)
    try store.connection.execute("VACUUM")
    try store.connection.checkpoint()
  }

  private func removeDuplicates() throws {
    let store = try MigrationSession.open(trial.store, of: trial)
    let model = try MigrationSession.version(at: parameters.to, in: trial).model
    let constraints = try UniqueConstraint.added(
      by: MappingModel(from: store.model, to: model),
      parameters
    )
    try SetBasedDeduplication(store: store, constraints: constraints).run()
    try store.connection.checkpoint()
  }
}
