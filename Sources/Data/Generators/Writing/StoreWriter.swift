import PersistentStore

/// A way to write a generated store's files.
package protocol StoreWriter: Sendable {
  /// The writer's name and version; another version may write other bytes.
  var identity: String { get }

  /// Writes a store that is not there yet.
  func write(
    _ contents: StoreContents,
    to file: StoreFile,
    progress: (GenerationProgress) -> Void
  ) throws
}

/// How far a store has come.
package struct GenerationProgress: Hashable, Sendable {
  /// The table that is being written.
  package let table: String
  /// Objects, and sources of many-to-manys, written so far and altogether.
  package let done: Int
  package let total: Int
}
