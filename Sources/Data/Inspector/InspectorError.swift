/// Why nothing can be said of a path.
package enum InspectorError: Error, Equatable, CustomStringConvertible {
  case noStores(folder: String)
  /// A file that is neither a store nor a model.
  case notInspectable(path: String)

  package var description: String {
    switch self {
    case .noStores(let folder): "there is no store in '\(folder)' or in a folder below it"
    case .notInspectable(let path):
      "'\(path)' is neither a SQLite file nor a model: name a store, a folder with stores, an "
        + ".xcdatamodeld, .xcdatamodel, .momd, .mom or model .yaml"
    }
  }
}
