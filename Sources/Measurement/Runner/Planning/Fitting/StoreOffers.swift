import Generators
import PersistentStore
import SQLite

/// Reads what stores offer, each once: of recipes what they will make, of files what is in them.
///
/// A file is read in place and nothing appears beside it.
final class StoreOffers {
  private var known: [StoreSource: StoreOffer] = [:]

  /// - Throws: ``PersistentStoreError`` for a file that is no usable store.
  func offer(of file: WorkloadFile) throws -> StoreOffer {
    if let offer = known[file.store] { return offer }
    let offer: StoreOffer
    switch file.store {
    case .recipe(_, let reference):
      let recipe = try file.recipe ?? reference.read()
      let counts = Dictionary(recipe.entities.map { ($0.name, $0.count) }) { $0 + $1 }
      offer = StoreOffer(model: recipe.model, counts: counts, isMade: false)
    case .file(let path): offer = try Self.read(path)
    }
    known[file.store] = offer
    return offer
  }

  private static func read(_ path: String) throws -> StoreOffer {
    let made = MadeStore(path: path)
    let connection = try made.connectInPlace()
    do {
      _ = try StoreMetadata(from: connection, path: path)
      let model = try ModelCache.read(from: connection, path: path)
      return StoreOffer(
        model: model,
        counts: try ObjectCounts.read(connection),
        isMade: true,
        oneSided: OneSidedRelationships.read(
          connection,
          StoreLayout(model: model, keepsHistory: false)
        ),
        file: made.source
      )
    } catch let error as SQLiteError {
      throw StoreOpening.translated(error, path: path)
    }
  }
}
