import SQLite

/// Why a store's content cannot be read or compared.
package enum InspectionError: Error, Hashable, Sendable {
  case cannotOpen(path: String, reason: SQLiteError)
  case noSuchFile(path: String)
  case notUTF8(path: String, encoding: String)
  case noTable(String, path: String)
  case noColumn(String, table: String, path: String)
  case unknownEntity(String)
  case unknownProperty(String, entity: String)
  /// Entities that share a table where their objects come from several.
  case splitOrigin(table: String)
  /// An entity whose properties are not those of the content expected.
  case unlikeShapes(entity: String)
}

extension InspectionError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .cannotOpen(let path, let reason): "cannot read '\(path)': \(reason)"
    case .noSuchFile(let path): "no such file: '\(path)'"
    case .notUTF8(let path, let encoding):
      "cannot read '\(path)': its text is in \(encoding), and only stores in UTF-8 are known"
    case .noTable(let table, let path):
      "cannot read '\(path)': it has no table '\(table)', so it does not fit the model"
    case .noColumn(let column, let table, let path):
      "cannot read '\(path)': its table '\(table)' has no column '\(column)', so it does not fit "
        + "the model"
    case .unknownEntity(let name): "the model has no entity '\(name)' with objects of its own"
    case .unknownProperty(let name, let entity):
      "the entity '\(entity)' keeps no property '\(name)' in the store"
    case .unlikeShapes(let entity):
      "cannot compare the objects of '\(entity)': the store's model gives it other properties than "
        + "the one expected"
    case .splitOrigin(let table):
      "cannot expect objects in '\(table)': they come from more than one table of the original"
    }
  }
}
