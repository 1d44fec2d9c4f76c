import Measurement
import PersistentStore

/// A workload's own store, ready to be copied.
package struct PreparedStore: Sendable {
  package let store: StoreFile
  package let description: StoreDescription
  /// What it was generated from; `nil` for a store made elsewhere.
  package let recipe: RecipeReference?
  /// Whether it may break rules of its layout: one made elsewhere, or by a recipe with defects.
  package let mayBreakRules: Bool

  package init(
    store: StoreFile,
    description: StoreDescription,
    recipe: RecipeReference? = nil,
    mayBreakRules: Bool = true
  ) {
    self.store = store
    self.description = description
    self.recipe = recipe
    self.mayBreakRules = mayBreakRules
  }

  /// What a trial of a workload works on, in a copy of this store or of one that was made of it.
  func trial(on copy: StoreFile, start: StoreFile, folder: String, file: WorkloadFile) -> Trial {
    Trial(
      store: copy,
      start: start,
      original: store,
      recipe: recipe,
      folder: folder,
      workloadsFolder: file.folder,
      settings: file.settings,
      seed: file.trials.seed,
      isDirty: mayBreakRules
    )
  }
}

/// Gives the stores that workload files ask for.
package protocol StoreProvider {
  /// Makes the store, copies it or takes it from a cache; nobody writes to it afterwards.
  func store(for file: WorkloadFile, in scratch: ScratchFolder) throws -> PreparedStore
}
