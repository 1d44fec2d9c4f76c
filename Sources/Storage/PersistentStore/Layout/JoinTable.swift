import DataModel

/// The table of a many-to-many relationship (coredata-format.md, section 5).
package struct JoinTable: Hashable, Sendable {
  /// One of the two relationships, with the column that holds the keys of its declaring entity.
  package struct Side: Hashable, Sendable {
    /// The entity that declares the relationship.
    package let entity: String
    package let relationship: String
    /// Holds the key of the object whose relationship it is.
    package let ownColumn: String
    /// Holds the key of the object the relationship leads to.
    package let otherColumn: String
    /// Holds the position of the other object, where the relationship is ordered.
    package let orderColumn: String?
  }

  package let name: String
  package let master: Side
  /// The inverse; equal to `master` where a relationship is its own inverse.
  package let slave: Side

  /// The columns in the order of the table.
  package var columnNames: [String] {
    [master.ownColumn, master.otherColumn]
      + [slave.orderColumn, master.orderColumn].compactMap { $0 }
  }

  /// The statement that makes the table, to the character as the frameworks write it.
  package var definition: String {
    let list = columnNames.map { "\($0) INTEGER" }.joined(separator: ", ")
    return
      "CREATE TABLE \(name) ( \(list), PRIMARY KEY (\(master.ownColumn), \(master.otherColumn)) )"
  }

  /// The index that leads from the other side.
  package var index: TableIndex {
    TableIndex(
      name: "\(name)_\(master.otherColumn)_INDEX",
      table: name,
      columns: [master.otherColumn, master.ownColumn].map { TableIndex.Column(name: $0) }
    )
  }

  /// The side of a relationship, by the entity that declares it.
  package func side(of relationship: String, declaredBy entity: String) -> Side? {
    [master, slave].first { $0.relationship == relationship && $0.entity == entity }
  }
}
