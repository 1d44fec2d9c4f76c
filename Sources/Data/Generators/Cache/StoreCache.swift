import Basics
import DataModel
import Foundation
import PersistentStore

/// A folder of generated stores, each made once for everything that shaped it.
///
/// The stores in it are never opened in place: whoever works on one copies it first. Processes may
/// use one cache at the same time: an entry appears as a whole, and of two that are made at once one
/// is kept.
package struct StoreCache: Sendable {
  private static let storeName = "store.sqlite"
  private static let manifestName = "manifest.json"

  /// The folder of all entries; made when it is first needed.
  package let folder: String
  private let writer: any StoreWriter

  package init(folder: String, writer: any StoreWriter = BulkStoreWriter()) {
    self.folder = folder
    self.writer = writer
  }

  /// The name of a recipe's entry: a digest of all that shapes the store's bytes.
  ///
  /// The recipe's own name is no part of it.
  package func key(of recipe: Recipe) -> String {
    var recipe = recipe
    recipe.name = ""
    let parts: [Any] = [
      "format \(Recipe.format)", "generator \(StoreGenerator.version)", writer.identity, recipe,
    ]
    return CanonicalForm.digest(of: parts)
  }

  /// The store of a recipe: an entry that is whole, or one made now.
  ///
  /// - Throws: what ``StoreGenerator/generate(at:replacing:progress:)`` throws.
  package func store(
    of recipe: Recipe,
    progress: (GenerationProgress) -> Void = { _ in }
  ) throws -> StoreFile {
    let entry = folder + "/" + key(of: recipe)
    let store = StoreFile(path: entry + "/" + Self.storeName)
    if isWhole(entry) { return store }
    let build = try BuildFolder(beside: entry)
    let made = build.path + "/entry"
    try StoreGenerator(recipe, writer: writer)
      .generate(at: made + "/" + Self.storeName, progress: progress)
    try StoreManifest(ofFilesIn: made).write(to: made + "/" + Self.manifestName)
    try publish(made, as: entry, build)
    return store
  }

  /// Moves a new entry to its place, unless another process was faster, or in place of a damaged one.
  private func publish(_ made: String, as entry: String, _ build: BuildFolder) throws {
    // One process at a time, so that nobody takes a new entry for the damaged one it replaced.
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(lock) }
    flock(lock, LOCK_EX)
    if isWhole(entry) { return }
    // Moved away in one step; there is usually nothing to move.
    _ = rename(entry, build.path + "/damaged")
    guard rename(made, entry) == 0 else {
      throw GeneratorsError.cannotWrite(path: entry, reason: System.errorText())
    }
  }

  /// Whether an entry has the very files it was made with; large ones are sampled.
  private func isWhole(_ entry: String) -> Bool {
    guard let manifest = try? StoreManifest(readFrom: entry + "/" + Self.manifestName),
      let present = try? StoreManifest(ofFilesIn: entry, except: Self.manifestName)
    else { return false }
    return manifest == present
  }
}
