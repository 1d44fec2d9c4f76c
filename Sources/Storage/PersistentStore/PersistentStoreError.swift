/// Why a file cannot be worked with as a store.
package enum PersistentStoreError: Error, Equatable, CustomStringConvertible {
  case missing(path: String)
  case exists(path: String)
  case notSQLite(path: String)
  case notCoreData(path: String, missing: String)
  case damaged(path: String, reason: String)
  case locked(path: String)
  /// The tables do not hold what the model says.
  case modelMismatch(path: String, table: String, column: String)
  case invalidModel([String])
  /// No source shows how that framework version wrote its tables.
  case unwritableLayout(framework: Int, reason: String)
  case noModel(path: String)

  package var description: String {
    switch self {
    case .missing(let path): "there is no store at '\(path)'"
    case .exists(let path): "there is a file at '\(path)' already; choose another name"
    case .notSQLite(let path): "'\(path)' is not a SQLite file"
    case .notCoreData(let path, let missing):
      "'\(path)' is a SQLite file but not a Core Data store: it has no \(missing)"
    case .damaged(let path, let reason): "the store '\(path)' is damaged: \(reason)"
    case .locked(let path): "the store '\(path)' is locked by another process; close it first"
    case .modelMismatch(let path, let table, let column):
      "the store '\(path)' does not fit its model: table \(table) has no column \(column)"
    case .invalidModel(let problems): "the model is invalid: " + problems.joined(separator: "; ")
    case .unwritableLayout(let framework, let reason):
      "a store of framework \(framework) cannot be written: \(reason); choose a later one"
    case .noModel(let path):
      "the store '\(path)' carries no model of its own; name a model file"
    }
  }
}
