import Foundation
import PersistentStore

/// The real stores that tests may read: absent unless STOREBENCH_REAL_STORES names their folder.
enum RealStores {
  static let folder = ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"]

  static var isAvailable: Bool { folder != nil }

  /// Every SQLite file of the folder that is not a -wal or a -shm.
  static var all: [StoreFile] {
    let names = folder.flatMap { try? FileManager.default.subpathsOfDirectory(atPath: $0) } ?? []
    return names.filter { name in
      [".sqlite", ".storedata", ".store"].contains { name.hasSuffix($0) }
    }
    .sorted().map { StoreFile(path: (folder ?? "") + "/" + $0) }
  }
}
