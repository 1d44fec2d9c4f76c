import PersistentStore
import Runner
import SQLite

/// An open store with all that a case's work needs.
package final class BlobSession {
  let store: PersistentStore
  let engine: any BlobEngine
  /// The keys of the objects that the operation names, in the order of the work.
  let keys: [Int64]
  /// What each iteration has read.
  var digests: [ListDigest] = []

  /// Opens a store by the model it carries, or makes it where a model is given.
  ///
  init(
    _ parameters: BlobParameters,
    _ model: BlobModel,
    at file: StoreFile,
    settings: ConnectionSettings,
    seed: UInt64,
    creates: Bool
  ) throws {
    keys = parameters.keys(seed: seed)
    // Another seed than the one the store was made with: new files must have new names.
    let options = PersistentStore.Options(
      settings: parameters.settings(settings),
      seed: creates ? seed : seed ^ 0x7472_6961_6c
    )
    let mode: Connection.Mode = parameters.operation.writes ? .readWrite : .readOnly
    store =
      creates
      ? try PersistentStore.create(at: file.path, model: model.model, options: options)
      : try PersistentStore.open(file, model: model.model, mode: mode, options: options)
    let work = BlobWork(
      parameters: parameters,
      model: model,
      store: store,
      blobs: SeededBlobs(seed: seed, size: parameters.size),
      rows: SeededRow(seed: seed, model: model)
    )
    engine =
      switch parameters.engine {
      case .objectGraph: try ObjectGraphBlobs(work)
      case .bareSQL: try BareSQLBlobs(work)
      }
  }
}

extension BlobEngine {
  /// Does something with some keys, as many at once as one save writes.
  func inSaves(
    of count: Int,
    _ keys: [Int64],
    _ body: (ArraySlice<Int64>) throws -> Void
  ) rethrows {
    var start = 0
    while start < keys.count {
      let end = min(start + count, keys.count)
      try body(keys[start..<end])
      start = end
    }
  }
}
