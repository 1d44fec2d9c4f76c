/// An index of a store's table.
package struct TableIndex: Hashable, Sendable {
  /// One column of an index.
  package struct Column: Hashable, Sendable {
    package let name: String
    /// Whether the column names its collation and direction, as fetch indexes do.
    package var direction: Direction?
  }

  /// The direction of a fetch index's column.
  package enum Direction: String, Hashable, Sendable {
    case ascending = "ASC"
    case descending = "DESC"
  }

  package let name: String
  package let table: String
  package let columns: [Column]
  package var isUnique = false

  /// The statement that makes the index, to the character as the frameworks write it.
  package var definition: String {
    let list = columns.map { column in
      column.direction.map { "\(column.name) COLLATE BINARY \($0.rawValue)" } ?? column.name
    }
    return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name) ON \(table)"
      + " (\(list.joined(separator: ", ")))"
  }
}
