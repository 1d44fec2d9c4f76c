/// Why a ladder cannot be measured.
package enum LadderError: Error, Equatable, CustomStringConvertible {
  case emptyRecipe(path: String)
  case noRecipe(store: String)
  case wrongKind(workload: String, kind: String)
  /// Workload files whose strategies are of different stores.
  case differentStores(first: String, other: String)
  case cannotKeep(path: String, reason: String)

  package var description: String {
    switch self {
    case .emptyRecipe(let path): "'\(path)' has no objects: there is nothing to make more of"
    case .noRecipe(let store):
      "'\(store)' is a store, which has one size: pass it as '--like', to have others made like it"
    case .wrongKind(let workload, let kind):
      "'\(workload)' is of the kind '\(kind)': a forecast is made of workload files of the kind "
        + "'migration'"
    case .differentStores(let first, let other):
      "'\(first)' and '\(other)' are of different recipes, and only strategies for one store can be "
        + "compared: pass a store as '--like', or the files apart"
    case .cannotKeep(let path, let reason):
      "cannot keep what was measured in '\(path)': \(reason)"
    }
  }
}
