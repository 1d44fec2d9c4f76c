import PersistentStore
import SQLite

extension StoreCopier {
  /// Copies a store for cases that only read, in the journal mode of their settings: a connection
  /// that only reads cannot change it, since it is the file's.
  ///
  /// - Throws: ``RunnerError/cannotCopy(path:reason:)`` and ``SQLiteError``.
  static func readingCopy(
    of source: StoreFile,
    into folder: String,
    settings: ConnectionSettings
  ) throws -> StoreFile {
    let store = try copy(source, into: folder)
    let wantsWAL = settings.journalMode == .wal
    guard let header = StoreHeader(path: store.path), header.usesWAL != wantsWAL else {
      return store
    }
    _ = try Connection(path: store.path, mode: .readWrite, settings: settings)
    return store
  }
}
