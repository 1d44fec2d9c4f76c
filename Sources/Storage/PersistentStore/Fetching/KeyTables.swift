import SQLite

/// The tables `_Z_intarray0`, `_Z_intarray1` … of a connection, made when they are first needed.
final class KeyTables {
  private let connection: Connection
  private var arrays: [IntegerArray] = []

  init(connection: Connection) {
    self.connection = connection
  }

  /// Makes `_Z_intarray{index}` hold some keys for the next statement.
  func bind(_ keys: [Int64], to index: Int = 0) throws {
    while arrays.count <= index {
      arrays.append(
        try IntegerArray(connection: connection, name: "_Z_intarray\(arrays.count)")
      )
    }
    arrays[index].values = keys
  }
}
