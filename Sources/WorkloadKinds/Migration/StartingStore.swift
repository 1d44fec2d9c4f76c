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
  }

  /// Rebuilds the store at a model, so that it looks as if it had always had it.
  private func bring(to path: String) throws {
    let store = try MigrationSession.open(trial.store, of: trial)
    let model = try MigrationSession.model(at: path, in: trial)
    let migration = try LightweightMigration(from: store.layout, to: model, shape: .rebuild)
    try migration.run(on: store.connection, path: trial.store.path)
    try store.connection.execute("VACUUM")
    try store.connection.checkpoint()
  }

  private func removeDuplicates() throws {
    let store = try MigrationSession.open(trial.store, of: trial)
    let model = try MigrationSession.model(at: parameters.to, in: trial)
    let constraints = try UniqueConstraint.added(by: MappingModel(from: store.model, to: model))
    try SetBasedDeduplication(store: store, constraints: constraints).run()
    try store.connection.checkpoint()
  }
}
