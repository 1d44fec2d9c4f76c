import Foundation
import PersistentStore
import SQLite

/// A file beside a store that says that its migration is complete, so that the next launch does not
/// begin it again.
struct MigrationMarker {
  let store: StoreFile
  /// The model that was migrated to, as the case names it.
  let version: String

  private var path: String { "\(store.folder)/.\(store.name).migrated" }
  private var text: [UInt8] { Array("migrated to \(version)\n".utf8) }

  var isThere: Bool { FileManager.default.contents(atPath: path) == Data(text) }

  /// Writes it durably: what it speaks of must be durable before.
  func write(_ files: inout FileBytes) throws {
    try text.withUnsafeBytes { try files.write($0, to: path, durable: true) }
    _ = CountingVFS.installed?.faults?.meet(.marker, path: path)
  }

  /// Takes it back durably; nothing where there is none.
  func remove(_ files: inout FileBytes) throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    try files.remove(path)
    try files.syncFolder(of: path)
  }
}
