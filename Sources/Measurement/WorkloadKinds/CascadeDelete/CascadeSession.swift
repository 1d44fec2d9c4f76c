import PersistentStore
import SQLite

/// An open store with the keys of the objects to delete.
package final class CascadeSession {
  let store: PersistentStore
  let root: CascadeRoot
  let graph: CascadeGraph
  let keys: [Int64]

  init(
    _ parameters: CascadeParameters,
    at file: StoreFile,
    settings: ConnectionSettings,
    seed: UInt64
  ) throws {
    var settings = settings
    settings.usesForeignKeys = parameters.strategy == .sqlForeignKey
    // Another seed than the one the store was made with: new names must not be its own.
    let options = PersistentStore.Options(settings: settings, seed: seed ^ 0x7472_6961_6c)
    store = try PersistentStore.open(file, options: options)
    graph = CascadeGraph(store.layout)
    root = try CascadeRoot(
      named: parameters.shape == .chain ? ChainModel.entity(0) : parameters.entity,
      in: store.layout
    )
    keys = parameters.chosen(of: try root.keys(store.connection), seed: seed)
  }
}
