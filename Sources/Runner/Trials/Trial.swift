import PersistentStore
import SQLite

/// What one trial of a case works on.
package struct Trial: Sendable {
  /// The copy that the work may change; shared by trials that only read.
  package let store: StoreFile
  /// The store that the copy was made from, never opened for writing.
  package let original: StoreFile
  /// A folder of the trial's own, for backups, exports and new stores.
  package let folder: String
  /// The folder that model paths in parameters are relative to.
  package let workloadsFolder: String
  package let settings: ConnectionSettings
  /// Decides every choice of the work: which rows are jumped to, which are deleted.
  package let seed: UInt64

  package init(
    store: StoreFile,
    original: StoreFile,
    folder: String,
    workloadsFolder: String,
    settings: ConnectionSettings,
    seed: UInt64
  ) {
    self.store = store
    self.original = original
    self.folder = folder
    self.workloadsFolder = workloadsFolder
    self.settings = settings
    self.seed = seed
  }
}
