import DataModel

/// The indexes of one entity's table (coredata-format.md, section 6).
struct TableIndexes {
  let layout: StoreLayout
  let table: EntityTable

  /// Keys, Z_ENT, join tables, fetch indexes, unique constraints: the order of real stores.
  var all: [TableIndex] {
    foreignKeys + entityNumber + layout.joinTables(of: table).map(\.index) + fetchIndexes
      + uniqueConstraints
  }

  private var family: [Entity] { table.entities.compactMap(layout.model.entity(named:)) }

  private var foreignKeys: [TableIndex] {
    table.columns.compactMap { column in
      switch column.content {
      case .foreignKey, .inverselessKey:
        TableIndex(
          name: "\(table.name)_\(column.name)_INDEX",
          table: table.name,
          columns: [TableIndex.Column(name: column.name)]
        )
      default: nil
      }
    }
  }

  private var entityNumber: [TableIndex] {
    let startsWithEntity = family.contains { entity in
      entity.fetchIndexes.contains { $0.elements.first?.property == "entity" }
    }
    guard !layout.holdsOneEntity(table), !startsWithEntity else { return [] }
    return [
      TableIndex(
        name: "\(table.name)_Z_ENT_INDEX",
        table: table.name,
        columns: [TableIndex.Column(name: "Z_ENT")]
      )
    ]
  }

  private var fetchIndexes: [TableIndex] {
    let all = family.flatMap { entity in
      entity.fetchIndexes.compactMap { fetchIndex($0, of: entity) }
    }
    return layout.generation == .legacyIndexes ? all.map(legacy) : all
  }

  /// The form that an index of attributes had before there were fetch indexes.
  private func legacy(_ index: TableIndex) -> TableIndex {
    let names = index.columns.map(\.name)
    let ending = names.count == 1 ? "_INDEX" : ""
    return TableIndex(
      name: "\(table.name)_\(names.joined(separator: "_"))\(ending)",
      table: table.name,
      columns: names.map { TableIndex.Column(name: $0) }
    )
  }

  /// Nothing for an index of one relationship alone, which has its key's index already.
  private func fetchIndex(_ index: FetchIndex, of entity: Entity) -> TableIndex? {
    let isOneRelationship =
      index.elements.count == 1
      && layout.storage(of: index.elements[0].property, in: entity.name) != nil
    guard !isOneRelationship, !index.elements.contains(where: { $0.kind == .rTree }) else {
      return nil
    }
    let columns = index.elements.compactMap { element in
      columnName(of: element.property, in: entity.name).map {
        TableIndex.Column(name: $0, direction: element.isAscending ? .ascending : .descending)
      }
    }
    return TableIndex(name: "Z_\(entity.name)_\(index.name)", table: table.name, columns: columns)
  }

  private var uniqueConstraints: [TableIndex] {
    guard !layout.generation.keepsConstraintsInTables else { return [] }
    return family.flatMap { entity in
      entity.uniquenessConstraints.map { properties in
        TableIndex(
          name: "Z_\(entity.name)_UNIQUE_\(properties.joined(separator: "_"))",
          table: table.name,
          columns: properties.compactMap { property in
            columnName(of: property, in: entity.name).map {
              TableIndex.Column(name: $0, direction: .ascending)
            }
          },
          isUnique: true
        )
      }
    }
  }

  private func columnName(of property: String, in entity: String) -> String? {
    if property == "entity" { return "Z_ENT" }
    if let column = layout.column(of: property, in: entity) { return column.name }
    if case .foreignKey(let column, _, _) = layout.storage(of: property, in: entity) {
      return column
    }
    return nil
  }
}
