import Basics
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
  private let folder: String

  /// A backup that goes into a folder, under the store's own name.
  init(of store: StoreFile, method: Method, in folder: String) {
    self.store = store
    self.method = method
    self.folder = folder
    backup = StoreFile(path: folder + "/backup/" + store.name)
  }

  /// Makes the backup; the store may be open on the connection, without a transaction.
  ///
  /// One that is complete stays: a later launch would copy a store that is half migrated.
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

  /// Gives back the room of a backup that was not completed.
  func removeUnfinished() throws {
    try unfinished.remove()
  }

  /// Puts the backup in the store's place; no process may have the store open.
  ///
  /// It is made ready beside the store, so that nothing is removed before all is there.
  func restore() throws {
    try Self.makeEmpty(restored.folder)
    // An app's own files beside the store were copied and never touched.
    try Self.copy(Array(backup.paths.dropLast()), to: restored.paths)
    for file in [store, restored] where file.walBytes > 0 {
      let connection = try Connection(path: file.path, settings: nil)
      // A connection knows nothing of a WAL before it has read.
      _ = try connection.integer("PRAGMA schema_version")
      try connection.checkpoint()
    }
    var files = FileBytes()
    try Self.sync(restored, &files)
    let swap = StoreSwap(new: restored, old: store)
    try swap.run(&files)
    try swap.removeOld(&files)
  }

  /// Where a backup is made ready to be put back.
  var restored: StoreFile { StoreFile(path: folder + "/restored/" + store.name) }

  private static func makeEmpty(_ folder: String) throws {
    if FileManager.default.fileExists(atPath: folder) {
      try FileManager.default.removeItem(atPath: folder)
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// Makes a copy durable, file by file.
  private static func sync(_ store: StoreFile, _ files: inout FileBytes) throws {
    let all = store.paths.flatMap(StoreFile.files)
    for file in all { try files.sync(file) }
    for folder in Set(all.map { ($0 as NSString).deletingLastPathComponent }).sorted() {
      try files.syncFolder(of: folder + "/")
    }
  }

  /// Copies a store at rest, its folder made where it is missing.
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

/// Puts a new store in the place of the old one, so that a power loss leaves the one or the other.
///
/// A WAL has no link to its database but its name: under a new main file the old WAL makes
/// "database disk image is malformed" (sqlite.md, section 5). So both stores are closed, their WALs
/// moved into them, before anything is renamed, and nothing is deleted by guess. Blobs go first; a
/// swap that was begun can be ended, whatever was done of it.
struct StoreSwap {
  let new: StoreFile
  let old: StoreFile

  /// Where the old main file stays until it is removed.
  private var previous: String { old.path + ".previous" }
  /// Where the old blobs stay; an empty folder where there were none, since it says how far a swap
  /// has come.
  private var previousBlobs: String { old.supportFolder + ".previous" }

  /// Whether blobs have been moved.
  var isUnderWay: Bool { Self.exists(previousBlobs) }

  /// - Throws: ``Refusal`` for a store in use, before anything is touched.
  func run(_ files: inout FileBytes) throws {
    for store in [new, old] where store.walBytes > 0 {
      throw Refusal(
        .failedIO,
        "'\(store.path)' has a WAL, so another process has it open; close that process before the "
          + "store is replaced"
      )
    }
    // Nobody syncs the truncation of a log: after a loss of power its frames would be back, under the
    // new main file. Its removal is made to last with the folder, before anything is renamed.
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

  /// A name that moves between two folders lasts when both are synced.
  private func syncFolders(_ files: inout FileBytes) throws {
    try files.syncFolder(of: old.path)
    try files.syncFolder(of: new.path)
  }

  /// Removes the old main file and its blobs; nothing where they are gone.
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
