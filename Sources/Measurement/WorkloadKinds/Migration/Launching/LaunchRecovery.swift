import Foundation
import PersistentStore
import Runner
import SQLite

/// What an app does at a launch before it opens its store: it ends what an earlier launch has begun
/// with files, and removes what that launch has not completed.
///
/// In a store that no launch has touched yet there is nothing to do.
struct LaunchRecovery {
  let trial: Trial
  let parameters: MigrationParameters

  private var marker: MigrationMarker {
    MigrationMarker(store: trial.store, version: parameters.to)
  }

  private var newStore: StoreFile { trial.newStore }

  /// Returns whether the migration is complete.
  func run() throws -> Bool {
    var files = FileBytes()
    try endSwap(&files)
    let isComplete = marker.isThere
    // Who goes on record by record finds what is there.
    if parameters.leavesNewStore, !isComplete, parameters.strategy != .gradual {
      try newStore.remove()
    }
    return isComplete
  }

  private func endSwap(_ files: inout FileBytes) throws {
    let restored = StoreBackup(of: trial.store, method: parameters.backup, in: trial.folder)
      .restored
    if StoreSwap(new: restored, old: trial.store).isUnderWay, restored.exists {
      try swap(restored, &files)
    } else if parameters.swaps, newStore.exists, marker.isThere {
      try swap(newStore, &files)
    }
    try StoreSwap(new: newStore, old: trial.store).removeOld(&files)
  }

  /// Moves the WALs that a kill has left into their stores, and one store into the other's place.
  private func swap(_ new: StoreFile, _ files: inout FileBytes) throws {
    for store in [trial.store, new] where store.walBytes > 0 {
      try MigrationSession.open(store, of: trial).connection.checkpoint()
    }
    try StoreSwap(new: new, old: trial.store).run(&files)
  }
}

extension Trial {
  /// The new store that copies go to.
  var newStore: StoreFile { StoreFile(path: folder + "/migrated/" + store.name) }
}
