import Foundation
import TestSupport

/// The real stores that tests may read: absent unless STOREBENCH_REAL_STORES names their folder.
enum RealStores {
  static let folder = ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"]

  static var isAvailable: Bool { folder != nil }

  /// Stores that only frameworks of version 1030 or later have written.
  static let freshStores = [
    "bookmarks/Bookmarks_V1.sqlite", "bookmarks/Bookmarks_V2.sqlite",
    "bookmarks/Bookmarks_V3.sqlite", "bookmarks/Bookmarks_V4.sqlite",
    "bookmarks/Bookmarks_V5.sqlite", "cart/CartKitSwiftData_v1.sqlite",
    "cart/CartStorage_v1.sqlite", "screentime/RMAdminStore-Local.sqlite",
    "syncmetadata/SyncMetadata_V3.sqlite", "notes/NoteStore.sqlite",
  ]

  /// Copies a store, with its WAL, into a folder and returns the copy's path.
  static func copy(_ name: String, into target: TemporaryFolder) throws -> String {
    let source = (folder ?? "") + "/" + name
    let path = target.file((name as NSString).lastPathComponent)
    for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: source + ending) {
      try FileManager.default.copyItem(atPath: source + ending, toPath: path + ending)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + ending)
    }
    return path
  }
}
