import Basics
import Foundation
import PersistentStore
import SQLite

/// A copy of a store, made before its migration so that the store can be restored.
struct StoreBackup {
  enum Method: String, CaseIterable, Hashable, Sendable {
    case none
    case copy
    /// Lets SQLite write a compact copy, and copies the blob files.
    case vacuumInto
    /// Lets SQLite copy the store page by page, and copies the blob files.
    case backupAPI
  }

  let store: StoreFile
  let backup: StoreFile
  let method: Method
  private let folder: String

  /// Describes a backup with the store's own name, in a subfolder of the given folder.
  init(of store: StoreFile, method: Method, in folder: String) {
    self.store = store
    self.method = method
    self.folder = folder
    backup = StoreFile(path: folder + "/backup/" + store.name)
  }

  /// Makes the backup; the store may be open on the connection, without a transaction.
  ///
  /// An existing complete backup is kept, because a later launch would copy a store that is half
  /// migrated.
  func make(_ connection: Connection) throws {
    guard method != .none, !backup.exists else { return }
    let copy = unfinished
    try Self.makeEmpty(copy.folder)
    switch method {
    case .none: return
    case .copy: try Self.copy(store.paths, to: copy.paths)
    case .vacuumInto:
      let statement = try connection.prepare("VACUUM INTO ?")
      statement.bind(copy.path, at: 1)
      try statement.run()
      try copyBlobs(to: copy)
    case .backupAPI:
      try connection.backUp(to: copy.path)
      try copyBlobs(to: copy)
    }
    var files = FileBytes()
    try Self.sync(copy, &files)
    try files.rename(copy.folder, to: backup.folder)
    try files.syncFolder(of: backup.folder)
  }

  private var unfinished: StoreFile {
    StoreFile(path: folder + "/backup.unfinished/" + store.name)
  }

  func removeUnfinished() throws {
    try unfinished.remove()
  }

  /// Replaces the store with the backup; no process may have the store open.
  ///
  /// The new files are completed next to the store, so that nothing is removed before they are
  /// ready.
  func restore() throws {
    try Self.makeEmpty(restored.folder)
    // The app's own files next to the store are not restored, because a migration does not change
    // them.
    try Self.copy(Array(backup.paths.dropLast()), to: restored.paths)
    for file in [store, restored] where file.walBytes > 0 {
      let connection = try Connection(path: file.path, settings: nil)
      // Read the database before the checkpoint, so that SQLite notices the WAL.
      _ = try connection.integer("PRAGMA schema_version")
      try connection.checkpoint()
    }
    var files = FileBytes()
    try Self.sync(restored, &files)
    let swap = StoreSwap(new: restored, old: store)
    try swap.run(&files)
    try swap.removeOld(&files)
  }

  var restored: StoreFile { StoreFile(path: folder + "/restored/" + store.name) }

  private static func makeEmpty(_ folder: String) throws {
    if FileManager.default.fileExists(atPath: folder) {
      try FileManager.default.removeItem(atPath: folder)
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private static func sync(_ store: StoreFile, _ files: inout FileBytes) throws {
    let all = store.paths.flatMap(StoreFile.files)
    for file in all { try files.sync(file) }
    for folder in Set(all.map { ($0 as NSString).deletingLastPathComponent }).sorted() {
      try files.syncFolder(of: folder + "/")
    }
  }

  /// Copies a store that no process has open; creates the folder if it is missing.
  static func copy(_ store: StoreFile, to other: StoreFile) throws {
    try FileManager.default.createDirectory(
      atPath: other.folder,
      withIntermediateDirectories: true
    )
    try copy(store.paths, to: other.paths)
  }

  private func copyBlobs(to copy: StoreFile) throws {
    try Self.copy(
      [store.supportFolder, store.filesFolder],
      to: [copy.supportFolder, copy.filesFolder]
    )
  }

  private static func copy(_ paths: [String], to targets: [String]) throws {
    for (path, target) in zip(paths, targets) where FileManager.default.fileExists(atPath: path) {
      try StoreFile.copy(path, to: target)
    }
  }
}

/// Replaces an old store with a new one, so that a power loss leaves either the old or the new
/// store.
///
/// SQLite finds a WAL only by the name of its database: an old WAL next to a new main file causes
/// "database disk image is malformed" (sqlite.md, section 5). Therefore, both stores are closed and
/// their WALs are checkpointed before anything is renamed. Blobs are moved first. An interrupted
/// swap is completed by running it again.
struct StoreSwap {
  let new: StoreFile
  let old: StoreFile

  /// The path of a hard link to the old main file, which preserves the file until the link is
  /// removed.
  private var previous: String { old.path + ".previous" }
  /// The folder of the old blobs.
  ///
  /// The folder is created empty if the old store had no blobs, because its existence shows that
  /// the swap has begun.
  private var previousBlobs: String { old.supportFolder + ".previous" }

  var isUnderWay: Bool { Self.exists(previousBlobs) }

  /// Replaces the store.
  ///
  /// - Throws: ``Refusal``, before anything is changed, if a store is in use.
  func run(_ files: inout FileBytes) throws {
    for store in [new, old] where store.walBytes > 0 {
      throw Refusal(
        .failedIO,
        "'\(store.path)' has a WAL, so another process has it open; close that process before the "
          + "store is replaced"
      )
    }
    // SQLite does not sync the truncation of a WAL: after a power loss, its frames could reappear
    // next to the new main file. Therefore, remove the WAL and sync the folder before anything is
    // renamed.
    if Self.exists(old.wal) { try files.remove(old.wal) }
    try moveBlobs(&files)
    if !Self.exists(previous) { try files.link(old.path, to: previous) }
    try files.syncFolder(of: old.path)
    try files.rename(new.path, to: old.path)
    try syncFolders(&files)
  }

  private func moveBlobs(_ files: inout FileBytes) throws {
    guard isUnderWay || Self.exists(old.supportFolder) || Self.exists(new.supportFolder) else {
      return
    }
    if !isUnderWay {
      if Self.exists(old.supportFolder) {
        try files.rename(old.supportFolder, to: previousBlobs)
      } else {
        try FileManager.default.createDirectory(
          atPath: previousBlobs,
          withIntermediateDirectories: false
        )
      }
      try files.syncFolder(of: old.path)
    }
    guard Self.exists(new.supportFolder) else { return }
    try files.rename(new.supportFolder, to: old.supportFolder)
    try syncFolders(&files)
  }

  /// Syncs both folders: a move between two folders survives a power loss only if both are synced.
  private func syncFolders(_ files: inout FileBytes) throws {
    try files.syncFolder(of: old.path)
    try files.syncFolder(of: new.path)
  }

  /// Removes the old main file and its blobs; does nothing if they are already gone.
  func removeOld(_ files: inout FileBytes) throws {
    guard isUnderWay || Self.exists(previous) else { return }
    try files.remove(previous)
    for file in StoreFile.files(at: previousBlobs) { try files.remove(file) }
    if isUnderWay { try FileManager.default.removeItem(atPath: previousBlobs) }
    try files.syncFolder(of: old.path)
  }

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }
}
