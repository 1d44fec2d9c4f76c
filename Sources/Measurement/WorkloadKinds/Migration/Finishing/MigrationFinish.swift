import Foundation
import PersistentStore
import Runner
import SQLite

/// What an app does after a migration: it checks the result, marks it as complete, puts it in the
/// place of the old store and removes that one.
struct MigrationFinish {
  let session: MigrationSession
  let recorder: Recorder
  let backup: StoreBackup

  private var parameters: MigrationParameters { session.parameters }

  func run() throws {
    // A refused migration has nothing to finish.
    guard session.refusal == nil else { return }
    if parameters.check != .none {
      let reference = parameters.leavesNewStore ? session.trial.store : backup.backup
      try recorder.phase(.migration.check) {
        try AppCheck(session: session, reference: reference).run()
      }
    }
    guard parameters.check != .none || parameters.swaps else { return }
    var files = FileBytes()
    try recorder.phase(.migration.marker) { try mark(&files) }
    if parameters.swaps { try swap(&files) }
    recorder.count(files.counters)
  }

  /// Says that the migration is complete, once what it has made is durable.
  private func mark(_ files: inout FileBytes) throws {
    if parameters.leavesNewStore {
      let store = session.result
      // The checkpoint has synced the store itself; its blobs nobody has.
      let blobs = StoreFile.files(at: store.externalDataFolder)
      for blob in blobs { try files.sync(blob) }
      if let blob = blobs.first { try files.syncFolder(of: blob) }
      try files.syncFolder(of: store.path)
    }
    try MigrationMarker(store: session.trial.store, version: parameters.to).write(&files)
  }

  private func swap(_ files: inout FileBytes) throws {
    let swap = StoreSwap(new: session.result, old: session.trial.store)
    try recorder.phase(.migration.swap) {
      // The old store's WAL goes into it, so that none is left beside the new one.
      try session.opened(recorder).connection.checkpoint()
      session.close(recorder)
      session.closeTarget(recorder)
      try swap.run(&files)
    }
    session.result = session.trial.store
    try recorder.phase(.migration.removal) { try swap.removeOld(&files) }
  }
}
