import Inspector
import PersistentStore
import Runner
import SQLite

/// Opens stores for reading by plain SQL.
enum StoreReading {
  /// The content of a copy of a store that an app has made.
  static func copy(of path: String, in scratch: ScratchFolder) throws -> StoreContent {
    try open(try MadeStore(path: path).copy(into: try scratch.emptyFolder("original")))
  }

  /// The content of a store that an app has made, read in place without a trace.
  static func inPlace(_ path: String) throws -> StoreContent {
    let facts = try StoreFacts(store: StoreFile(path: path))
    return try StoreContent(store: facts.store, layout: facts.layout)
  }

  /// The content of a store that belongs to nobody else.
  static func open(_ file: StoreFile) throws -> StoreContent {
    let layout = try PersistentStore.open(file, mode: .readOnly).layout
    return try StoreContent(store: file, layout: layout)
  }
}
