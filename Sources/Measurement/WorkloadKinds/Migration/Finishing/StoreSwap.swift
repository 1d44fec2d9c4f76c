import Foundation
import PersistentStore

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

  /// - Throws: ``MigrationCaseError/storeInUse(path:)`` before anything is touched.
  func run(_ files: inout FileBytes) throws {
    for store in [new, old] where store.walBytes > 0 {
      throw MigrationCaseError.storeInUse(path: store.path)
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
