import DataModel

/// The models that parameters name, each read once.
package final class ModelFiles {
  private let folder: String
  private var known: [String: Result<ModelFamily, any Error>] = [:]

  /// Paths are relative to a workloads folder.
  package init(folder: String) {
    self.folder = folder
  }

  /// The versions of the model at a path.
  ///
  /// - Throws: ``DataModelError``.
  package func family(at path: String) throws -> ModelFamily {
    if let result = known[path] { return try result.get() }
    let full = path.hasPrefix("/") ? path : folder + "/" + path
    let result = Result { try ModelSource.read(path: full) }
    known[path] = result
    return try result.get()
  }
}
