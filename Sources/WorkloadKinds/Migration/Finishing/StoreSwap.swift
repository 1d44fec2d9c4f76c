import Foundation
import PersistentStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Puts a new store in the place of the old one, so that a power loss leaves the one or the other.
///
/// A WAL has no link to its database but its name: under a new main file the old WAL makes
/// "database disk image is malformed" (sqlite.md, section 5). So both stores are closed, their WALs
/// moved into them, before anything is renamed, and nothing is deleted by guess. Blobs go first:
/// their names are UUIDs, and the old store does not miss the room.
struct StoreSwap {
  let new: StoreFile
  let old: StoreFile
  private var obsolete: [String] = []

  init(new: StoreFile, old: StoreFile) {
    self.new = new
    self.old = old
  }

  /// Where the old main file stays until it is removed.
  private var previous: String { old.path + ".previous" }

  /// - Throws: ``MigrationCaseError/storeInUse(path:)`` before anything is touched.
  mutating func run(_ files: inout FileBytes) throws {
    for store in [new, old] where store.walBytes > 0 {
      throw MigrationCaseError.storeInUse(path: store.path)
    }
    try moveBlobs(&files)
    try call("keep", old.path) { link(old.path, previous) }
    try files.syncFolder(of: old.path)
    try call("replace", old.path) { rename(new.path, old.path) }
    try files.syncFolder(of: old.path)
  }

  private mutating func moveBlobs(_ files: inout FileBytes) throws {
    let before = Self.names(in: old.externalDataFolder)
    let after = Self.names(in: new.externalDataFolder)
    obsolete = before.subtracting(after).sorted()
    guard !after.isEmpty else { return }
    try FileManager.default.createDirectory(
      atPath: old.externalDataFolder,
      withIntermediateDirectories: true
    )
    for name in after.sorted() {
      let (from, to) = (new.externalDataFolder + "/" + name, old.externalDataFolder + "/" + name)
      try call("move", from) { rename(from, to) }
    }
    try files.syncFolder(of: old.externalDataFolder + "/")
  }

  /// Removes the old main file and the blobs that only it had.
  func removeOld(_ files: inout FileBytes) throws {
    try files.remove(previous)
    for name in obsolete { try files.remove(old.externalDataFolder + "/" + name) }
    try files.syncFolder(of: old.path)
  }

  private static func names(in folder: String) -> Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
  }

  private func call(_ action: String, _ path: String, _ body: () -> Int32) throws {
    guard body() == 0 else {
      throw FileBytes.Failure(action: action, path: path, code: errno)
    }
  }
}
