import DataModel
import Generators
import PersistentStore
import SQLite

/// Gives the stores of workload files: generated ones from a cache, made ones as a copy.
package final class StoreLibrary: StoreProvider {
  private let cache: StoreCache
  private let progress: (GenerationProgress) -> Void
  private var prepared: [StoreSource: PreparedStore] = [:]

  /// Stores of recipes are kept in a folder from run to run.
  package init(cacheFolder: String, progress: @escaping (GenerationProgress) -> Void = { _ in }) {
    cache = StoreCache(folder: cacheFolder)
    self.progress = progress
  }

  /// The store of a workload file; the same one for every file that asks for the same.
  ///
  /// - Throws: what making or copying it throws.
  package func store(for file: WorkloadFile, in scratch: ScratchFolder) throws -> PreparedStore {
    if let store = prepared[file.store] { return store }
    let store: PreparedStore
    switch file.store {
    case .recipe(let name, let reference):
      store = try generated(name, reference, try file.recipe ?? reference.read())
    case .file(let path, let model):
      let folder = try scratch.emptyFolder("made-\(prepared.count)")
      store = try described(try MadeStore(path: path).copy(into: folder), from: path, given: model)
    }
    prepared[file.store] = store
    return store
  }

  private func generated(
    _ name: String,
    _ reference: RecipeReference,
    _ recipe: Recipe
  ) throws -> PreparedStore {
    let store = try cache.store(of: recipe, progress: progress)
    var source = name
    if let model = reference.model { source += " with \(Self.lastTwo(of: model))" }
    return PreparedStore(
      store: store,
      description: StoreDescription(
        source: source,
        seed: recipe.seed,
        objects: Dictionary(recipe.entities.map { ($0.name, $0.count) }) { $0 + $1 },
        bytes: store.bytes,
        digest: try StoreFingerprint.digest(of: store.path)
      ),
      recipe: reference,
      mayBreakRules: recipe.isDirty
    )
  }

  /// `tasks/v2.yaml` of a model's path.
  private static func lastTwo(of path: String) -> String {
    path.split(separator: "/").suffix(2).joined(separator: "/")
  }

  /// Describes a copy; what its own metadata and model lack is said of the user's path.
  private func described(
    _ store: StoreFile,
    from path: String,
    given: ModelFamily?
  ) throws -> PreparedStore {
    // Before a connection opens it, which may change the WAL.
    let (bytes, digest) = (store.bytes, try StoreFingerprint.digest(of: store.path))
    let connection = try Connection(path: store.path, mode: .readOnly, settings: nil)
    try connection.checkCells()
    _ = try StoreMetadata(from: connection, path: path)
    let model = try ModelCache.read(from: connection, path: path, given: given)
    let objects = try ObjectCounts.read(connection)
    if given != nil { try ModelCache.write(model, to: store) }
    return PreparedStore(
      store: store,
      description: StoreDescription(
        source: store.name,
        seed: nil,
        objects: objects,
        bytes: bytes,
        digest: digest
      ),
      userPath: path
    )
  }
}
