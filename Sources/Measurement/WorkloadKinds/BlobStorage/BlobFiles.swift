import Foundation
import PersistentStore

/// Files that hold one blob each, written before a commit and given up only after it.
///
/// The app's own files and, where plain statements do the framework's work, those of external
/// storage.
struct BlobFiles {
  private let folder: String
  private let isDurable: Bool
  private let identifiers: IdentifierSource
  private var bytes = FileBytes()
  private var abandoned: [String] = []
  private var folderExists = false

  init(folder: String, isDurable: Bool, identifiers: IdentifierSource) {
    self.folder = folder
    self.isDurable = isDurable
    self.identifiers = identifiers
  }

  var counters: FileBytes.Counters { bytes.counters }

  /// Writes a blob into a new file and returns the file's name.
  mutating func write(_ blob: [UInt8]) throws -> String {
    if !folderExists {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      folderExists = true
    }
    let name = identifiers.next()
    try blob.withUnsafeBytes {
      try bytes.write($0, to: folder + "/" + name, durable: isDurable)
    }
    return name
  }

  mutating func read(_ name: String) throws -> [UInt8] {
    try bytes.read(folder + "/" + name)
  }

  /// Notes a file that the rows lead to no longer once the transaction is committed.
  mutating func abandon(_ name: String) {
    abandoned.append(name)
  }

  /// Removes what was given up.
  ///
  /// Unsynced, as in external storage: a file that comes back is an orphan and not a loss.
  mutating func didCommit() throws {
    for name in abandoned { try bytes.remove(folder + "/" + name) }
    abandoned.removeAll(keepingCapacity: true)
  }
}
