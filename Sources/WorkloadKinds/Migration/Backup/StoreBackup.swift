import Foundation
import PersistentStore
import SQLite

/// A copy of a store made before its migration, to go back to.
struct StoreBackup {
  /// How a store is copied.
  enum Method: String, CaseIterable, Hashable, Sendable {
    case none
    /// The files: the store, its -wal and its blobs.
    case copy
    /// A compact copy by SQLite, and the blobs' files.
    case vacuumInto
    /// A copy page by page by SQLite, and the blobs' files.
    case backupAPI
  }

  let store: StoreFile
  let backup: StoreFile
  let method: Method

  /// A backup that goes into a folder, under the store's own name.
  init(of store: StoreFile, method: Method, in folder: String) {
    self.store = store
    self.method = method
    backup = StoreFile(path: folder + "/backup/" + store.name)
  }

  /// Makes the backup; the store may be open on the connection, without a transaction.
  func make(_ connection: Connection) throws {
    guard method != .none else { return }
    try FileManager.default.createDirectory(
      atPath: backup.folder,
      withIntermediateDirectories: true
    )
    switch method {
    case .none: return
    case .copy: try Self.copy(store.paths, to: backup.paths)
    case .vacuumInto:
      let statement = try connection.prepare("VACUUM INTO ?")
      statement.bind(backup.path, at: 1)
      try statement.run()
      try copyBlobs()
    case .backupAPI:
      try connection.backUp(to: backup.path)
      try copyBlobs()
    }
  }

  /// Puts the backup in the store's place; nobody may have the store open.
  func restore() throws {
    try store.remove()
    try Self.copy(backup.paths, to: store.paths)
  }

  /// Copies a store at rest, its folder made where it is missing.
  static func copy(_ store: StoreFile, to other: StoreFile) throws {
    try FileManager.default.createDirectory(
      atPath: other.folder,
      withIntermediateDirectories: true
    )
    try copy(store.paths, to: other.paths)
  }

  private func copyBlobs() throws {
    try Self.copy(
      [store.supportFolder, store.filesFolder],
      to: [backup.supportFolder, backup.filesFolder]
    )
  }

  private static func copy(_ paths: [String], to targets: [String]) throws {
    for (path, target) in zip(paths, targets) where FileManager.default.fileExists(atPath: path) {
      try StoreFile.copy(path, to: target)
    }
  }
}
