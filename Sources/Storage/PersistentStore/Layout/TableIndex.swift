import DataModel

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
  package var sql: String {
    let list = columns.map { column in
      column.direction.map { "\(column.name) COLLATE BINARY \($0.rawValue)" } ?? column.name
    }
    return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name) ON \(table)"
      + " (\(list.joined(separator: ", ")))"
  }
}

extension StoreLayout {
  /// The indexes of an entity table and of its join tables, in the frameworks' order: keys, Z_ENT,
  /// join tables, fetch indexes, unique constraints (coredata-format.md, section 6).
  package func indexes(of table: EntityTable) -> [TableIndex] {
    let family = table.entities.compactMap(model.entity(named:))
    return keyIndexes(of: table) + entityNumberIndex(of: table, family)
      + joinTables(of: table).map(\.index) + family.flatMap { fetchIndexes(of: $0, in: table) }
      + (generation.keepsConstraintsInTables
        ? [] : family.flatMap { uniqueIndexes(of: $0, in: table) })
  }

  private func keyIndexes(of table: EntityTable) -> [TableIndex] {
    table.columns.compactMap { column in
      switch column.content {
      case .foreignKey, .inverselessKey: .plain([column.name], of: table.name)
      default: nil
      }
    }
  }

  private func entityNumberIndex(of table: EntityTable, _ family: [Entity]) -> [TableIndex] {
    let startsWithEntity = family.contains { entity in
      entity.fetchIndexes.contains { $0.elements.first?.property == "entity" }
    }
    return holdsOneEntity(table) || startsWithEntity ? [] : [.plain(["Z_ENT"], of: table.name)]
  }

  /// None for an index of one relationship alone, which has its key's index already.
  private func fetchIndexes(of entity: Entity, in table: EntityTable) -> [TableIndex] {
    entity.fetchIndexes.compactMap { index in
      let isOneRelationship =
        index.elements.count == 1
        && storage(of: index.elements[0].property, in: entity.name) != nil
      guard !isOneRelationship, !index.elements.contains(where: { $0.kind == .rTree }) else {
        return nil
      }
      let columns = index.elements.compactMap { element in
        columnName(of: element.property, in: entity.name).map {
          TableIndex.Column(name: $0, direction: element.isAscending ? .ascending : .descending)
        }
      }
      // The form that an index of attributes had before there were fetch indexes.
      if generation == .legacyIndexes { return .plain(columns.map(\.name), of: table.name) }
      return TableIndex(name: "Z_\(entity.name)_\(index.name)", table: table.name, columns: columns)
    }
  }

  private func uniqueIndexes(of entity: Entity, in table: EntityTable) -> [TableIndex] {
    entity.uniquenessConstraints.map { properties in
      TableIndex(
        name: "Z_\(entity.name)_UNIQUE_\(properties.joined(separator: "_"))",
        table: table.name,
        columns: properties.compactMap { columnName(of: $0, in: entity.name) }.map {
          TableIndex.Column(name: $0, direction: .ascending)
        },
        isUnique: true
      )
    }
  }

  private func columnName(of property: String, in entity: String) -> String? {
    if property == "entity" { return "Z_ENT" }
    if let column = column(of: property, in: entity) { return column.name }
    if case .foreignKey(let column, _, _) = storage(of: property, in: entity) { return column }
    return nil
  }
}

extension TableIndex {
  /// An index that names columns alone; its own name ends in `_INDEX` where there is one of them.
  fileprivate static func plain(_ columns: [String], of table: String) -> TableIndex {
    TableIndex(
      name: "\(table)_\(columns.joined(separator: "_"))" + (columns.count == 1 ? "_INDEX" : ""),
      table: table,
      columns: columns.map { TableIndex.Column(name: $0) }
    )
  }
}
