import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite

/// Builds the store that a mapping describes by SQL alone, to verify copies made through a context.
struct MappedReference {
  let session: MigrationSession
  let trial: Trial
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
    try MappedCopy(
      session.mapping,
      from: session.source,
      to: session.destination,
      now: MissingValuePolicy.date
    ).run(from: start, to: file, on: target.connection)
    try target.connection.checkpoint()
    return file
  }
}
