import DataModel

/// The table of a root entity and of everything below it.
package struct EntityTable: Hashable, Sendable {
  package let name: String
  /// The root entity's name.
  package let root: String
  /// The root and its sub-entities, in the order of their numbers.
  package let entities: [String]
  /// The columns after Z_PK, Z_ENT and Z_OPT, in the order of the table.
  package let columns: [Column]
  /// The columns of each unique constraint that the statement itself holds, as old layouts do.
  package var constraints: [[String]] = []

  /// Every column's name, system columns first.
  package var columnNames: [String] { ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name) }

  /// The statement that makes the table, to the character as the frameworks write it.
  package var definition: String {
    let single = Set(constraints.filter { $0.count == 1 }.map { $0[0] })
    let list = columns.map { column in
      ", \(column.name) \(column.type.rawValue)" + (single.contains(column.name) ? " UNIQUE" : "")
    }
    let compound = constraints.filter { $0.count > 1 }.map {
      ", CONSTRAINT \($0.joined(separator: "_")) UNIQUE (\($0.joined(separator: ", ")))"
    }
    return "CREATE TABLE \(name) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
      + list.joined() + compound.joined() + (compound.isEmpty ? " )" : ")")
  }

  /// The column that holds an attribute of an entity.
  package func column(attribute: String, of declaring: String) -> Column? {
    columns.first {
      if case .attribute(let held) = $0.content {
        return held.name == attribute && $0.entity == declaring
      }
      return false
    }
  }

  /// The column of a relationship's part that `matches` picks.
  func column(of declaring: String, where matches: (Column.Content) -> Bool) -> Column? {
    columns.first { $0.entity == declaring && matches($0.content) }
  }
}
