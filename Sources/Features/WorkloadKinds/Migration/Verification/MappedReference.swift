import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// Makes the store that a map leads to, by the way that the measured migration did not take.
struct MappedReference {
  let session: MigrationSession
  let trial: Trial
  /// The store to migrate again.
  let start: StoreFile

  init(session: MigrationSession, trial: Trial, start: StoreFile? = nil) {
    self.session = session
    self.trial = trial
    self.start = start ?? trial.start
  }

  func make() throws -> StoreFile {
    let file = StoreFile(path: trial.folder + "/reference/reference.sqlite")
    try? FileManager.default.removeItem(atPath: file.folder)
    try FileManager.default.createDirectory(atPath: file.folder, withIntermediateDirectories: true)
    let target = try PersistentStore.create(
      at: file.path,
      model: session.destination.model,
      options: PersistentStore.Options(
        settings: trial.settings,
        seed: trial.seed,
        keepsHistory: session.destination.keepsHistory
      )
    )
    if session.parameters.engine == .objectGraph {
      try MappedCopy(
        session.mapping,
        from: session.source,
        to: session.destination,
        now: MissingValuePolicy.date
      ).run(from: start, to: file, on: target.connection)
    } else {
      try copyObjects(to: target)
    }
    try target.connection.checkpoint()
    return file
  }

  private func copyObjects(to target: PersistentStore) throws {
    let old = try PersistentStore.open(
      start,
      mode: start == trial.start ? start.restingMode : .readOnly,
      options: PersistentStore.Options(settings: trial.settings, seed: trial.seed)
    )
    let source = ContextSource(
      context: try ObjectContext(store: old),
      plan: CopyPlan(mapping: session.mapping, source: session.source),
      fetchBatchSize: 1000
    )
    // Objects without what they are required to lead to cannot be saved before they lead there.
    let sink = SingleSaveSink(context: try ObjectContext(store: target), unique: nil)
    try source.forEachObject(sink.insert)
    sink.finishObjects()
    try source.forEachLinks(sink.relate)
    try sink.finish()
  }
}
