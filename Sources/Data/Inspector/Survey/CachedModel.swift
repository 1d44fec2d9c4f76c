import DataModel
import PersistentStore

/// The model that a store carries, or why there is none to go by.
struct CachedModel {
  private(set) var model: Model?
  private(set) var unknown: [String] = []
  private(set) var problem: String?

  init(_ reader: StoreReader) {
    do {
      guard reader.schema.has("Z_MODELCACHE") else {
        problem = "it has no table Z_MODELCACHE"
        return
      }
      let (model, unknown) = try ModelCache.readReporting(
        from: reader.connection,
        path: reader.store.path
      )
      let errors = model.problems().filter { $0.severity == .error }
      if let first = errors.first {
        problem = "its model is invalid: \(first)"
      } else {
        self.model = model
      }
      self.unknown = unknown
    } catch PersistentStoreError.noModel {
      problem = "Z_MODELCACHE is empty"
    } catch PersistentStoreError.damaged(_, let reason) {
      problem = reason
    } catch {
      problem = "\(error)"
    }
  }
}
