import Inspector
import PersistentStore
import Runner

/// Opens stores for reading by plain SQL.
enum StoreReading {
  /// The content of a copy of a store that an app has made.
  static func copy(of path: String, in scratch: ScratchFolder) throws -> StoreContent {
    let file = try MadeStore(path: path).copy(into: try scratch.emptyFolder("original"))
    return try PlainContent.open(file)
  }
}
