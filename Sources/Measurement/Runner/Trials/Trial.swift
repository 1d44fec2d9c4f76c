import Generators
import PersistentStore
import SQLite

/// What one trial of a case works on.
package struct Trial: Codable, Hashable, Sendable {
  /// The copy that the work may change; shared by trials that only read.
  package let store: StoreFile
  /// The store that the copy was made from, never opened for writing.
  package let start: StoreFile
  /// The workload's own store, as its recipe or its user gave it, never opened for writing.
  ///
  /// The same as `start` but for cases that ask for a starting store of their own.
  package let original: StoreFile
  /// What the workload's own store was generated from; `nil` for a store made elsewhere.
  package let recipe: RecipeReference?
  /// A folder of the trial's own, for backups, exports and new stores, on the store's file system.
  package let folder: String
  /// The folder that model paths in parameters are relative to.
  package let workloadsFolder: String
  package let settings: ConnectionSettings
  /// Decides every choice of the work, such as which rows are jumped to; the same in all trials.
  package let seed: UInt64
  /// Whether the workload's own store may break rules of its layout; `nil` where the request's sender
  /// does not know, and the recipe shows it.
  private let isDirty: Bool?

  package init(
    store: StoreFile,
    start: StoreFile,
    original: StoreFile,
    recipe: RecipeReference? = nil,
    folder: String,
    workloadsFolder: String,
    settings: ConnectionSettings = ConnectionSettings(),
    seed: UInt64 = 1,
    isDirty: Bool? = nil
  ) {
    self.store = store
    self.start = start
    self.original = original
    self.recipe = recipe
    self.folder = folder
    self.workloadsFolder = workloadsFolder
    self.settings = settings
    self.seed = seed
    self.isDirty = isDirty
  }

  /// Whether the store may break rules of its layout before anything is done to it: one made
  /// elsewhere, or by a recipe with defects.
  ///
  /// - Throws: what reading the recipe throws.
  package func mayBreakRules() throws -> Bool {
    try isDirty ?? recipe.map { try $0.read().isDirty } ?? true
  }
}
