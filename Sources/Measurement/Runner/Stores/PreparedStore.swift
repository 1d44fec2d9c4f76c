import Measurement
import PersistentStore

/// A workload's own store, ready to be copied.
package struct PreparedStore: Sendable {
  package let store: StoreFile
  package let description: StoreDescription
  /// What it was generated from; `nil` for a store made elsewhere.
  package let recipe: RecipeReference?

  package init(store: StoreFile, description: StoreDescription, recipe: RecipeReference? = nil) {
    self.store = store
    self.description = description
    self.recipe = recipe
  }
}

/// Gives the stores that workload files ask for.
package protocol StoreProvider {
  /// Makes the store, copies it or takes it from a cache; nobody writes to it afterwards.
  func store(for file: WorkloadFile, in scratch: ScratchFolder) throws -> PreparedStore
}
