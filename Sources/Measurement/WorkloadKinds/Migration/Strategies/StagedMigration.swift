import DataModel
import PersistentStore
import Runner

/// A migration by a plan of versions: where the store stands is read from the store.
struct StagedMigration {
  let session: MigrationSession
  let recorder: Recorder

  /// Brings the store from its own version through every later one of the plan.
  ///
  /// A store of none of the versions is left alone: the frameworks refuse it too, and the app does
  /// not start. Where a release before has given the store's model a version, that is the first one.
  func run() throws {
    let store = try session.opened(recorder)
    var plan = session.plan
    if session.parameters.wrapper {
      plan = VersionPlan(versions: [wrapper] + plan.versions)
      // Where an earlier launch came further, the wrapper release was long before.
      if session.isAtSource { try wrap(store) }
    }
    let metadata = try StoreMetadata(from: store.connection, path: store.file.path)
    guard let place = plan.place(of: metadata, store.model) else {
      recorder.count(.migration.refused)
      session.refusal = .unknownVersion(store: store.file.name, versions: plan.versions.map(\.name))
      return
    }
    let route = try MigrationRoute(
      from: store.layout,
      through: Array(plan.versions[(place + 1)...]),
      shape: session.parameters.shape
    )
    if session.isAtSource { try route.check(against: session.mapping) }
    try route.run(on: store)
    session.close(recorder)
  }

  /// The wrapper release: it gives the store's own model a version, and changes nothing else.
  private var wrapper: VersionPlan.Version {
    var model = session.source.model
    model.versionIdentifiers = ["1.0.0"]
    return VersionPlan.Version(name: "the wrapper release", model: model)
  }

  private func wrap(_ store: PersistentStore) throws {
    try recorder.phase(.migration.wrap) {
      try MigrationRoute(from: session.source, through: [wrapper], shape: .inPlace).run(on: store)
    }
  }
}
