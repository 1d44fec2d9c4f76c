import Foundation
import PersistentStore

/// Writes the files that belong to a generated store.
struct GeneratedFiles {
  private let store: StoreFile
  private var bytes = FileBytes()
  private var folders: Set<String> = []

  init(store: StoreFile) {
    self.store = store
  }

  mutating func write(_ name: String, kind: FileKind, contents: borrowing Cell) throws {
    let folder = kind == .externalData ? store.externalDataFolder : store.filesFolder
    if folders.insert(folder).inserted {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    try contents.bytes.withUnsafeBytes {
      try bytes.write($0, to: folder + "/" + name, durable: false)
    }
  }
}
