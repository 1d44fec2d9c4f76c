import DataModel

/// An index of a store's table.
package struct TableIndex: Hashable, Sendable {
  /// One column of an index.
  package struct Column: Hashable, Sendable {
    package let name: String
    /// The direction of the column, or `nil` if the statement specifies neither collation nor
    /// direction.
    ///
    /// Statements for fetch indexes specify both the collation and the direction.
    package var direction: Direction?
  }

  /// The sort direction of a column in a fetch index.
  package enum Direction: String, Hashable, Sendable {
    case ascending = "ASC"
    case descending = "DESC"
  }

  package let name: String
  package let table: String
  package let columns: [Column]
  package var isUnique = false
  /// The condition of a partial index, without WHERE.
  package var condition: String?

  /// The CREATE INDEX statement, exactly as Core Data writes it.
  package var sql: String {
    let list = columns.map { column in
      column.direction.map { "\(column.name) COLLATE BINARY \($0.rawValue)" } ?? column.name
    }
    return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name) ON \(table)"
      + " (\(list.joined(separator: ", ")))" + (condition.map { " WHERE \($0)" } ?? "")
  }
}

extension StoreLayout {
  /// Returns the indexes of an entity table and its join tables in Core Data's order
  /// (coredata-format.md, section 6).
  package func indexes(of table: EntityTable) -> [TableIndex] {
    let family = table.entities.compactMap(model.entity(named:))
    let joins = joinTables(of: table).compactMap(\.index)
    let all =
      generation.namesIndexesByColumns
      ? family.flatMap { attributeIndexes(of: $0, in: table) + keyIndexes(of: table, $0.name) }
        + inverselessIndexes(of: table) + entityNumberIndex(of: table, family)
        + family.flatMap { compoundIndexes(of: $0, in: table) } + joins
      : family.flatMap { keyIndexes(of: table, $0.name) } + inverselessIndexes(of: table)
        + entityNumberIndex(of: table, family) + joins
        + family.flatMap { fetchIndexes(of: $0, in: table) }
    let unique =
      generation.keepsConstraintsInTables ? [] : family.flatMap { uniqueIndexes(of: $0, in: table) }
    var names: Set<String> = []
    return (all + unique).filter { names.insert($0.name).inserted }
  }

  /// The model's indexes that stores lack or contain in another form, written as `Entity.index`.
  ///
  /// Stores contain R-trees and the index of a single relationship in another form. They lack
  /// indexes on a to-many relationship or on a transient or missing property. Indexes with an
  /// unknown kind of predicate are listed too.
  package var unmadeIndexes: [String] {
    model.entities.flatMap { entity in
      entity.fetchIndexes.filter { columns(of: $0, in: entity) == nil }
        .map { "\(entity.name).\($0.name)" }
    }
  }

  private func keyIndexes(of table: EntityTable, _ entity: String) -> [TableIndex] {
    table.columns.compactMap { column in
      guard column.entity == entity, case .foreignKey = column.content else { return nil }
      return .plain([column.name], of: table.name)
    }
  }

  private func inverselessIndexes(of table: EntityTable) -> [TableIndex] {
    table.columns.compactMap { column in
      guard case .inverselessKey = column.content else { return nil }
      return .plain([column.name], of: table.name)
    }
  }

  private func entityNumberIndex(of table: EntityTable, _ family: [Entity]) -> [TableIndex] {
    let startsWithEntity = family.contains { entity in
      entity.fetchIndexes.contains {
        $0.elements.first?.property == "entity" && columns(of: $0, in: entity) != nil
      }
    }
    return holdsOneEntity(table) || startsWithEntity ? [] : [.plain(["Z_ENT"], of: table.name)]
  }

  private func attributeIndexes(of entity: Entity, in table: EntityTable) -> [TableIndex] {
    entity.fetchIndexes.compactMap { columns(of: $0, in: entity) }.filter { $0.count == 1 }
      .map { $0[0].name }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { .plain([$0], of: table.name) }
  }

  private func compoundIndexes(of entity: Entity, in table: EntityTable) -> [TableIndex] {
    entity.fetchIndexes.compactMap { columns(of: $0, in: entity) }.filter { $0.count > 1 }
      .map { .plain($0.map(\.name), of: table.name) }
  }

  private func fetchIndexes(of entity: Entity, in table: EntityTable) -> [TableIndex] {
    entity.fetchIndexes.compactMap { index in
      columns(of: index, in: entity).map { columns in
        TableIndex(
          name: "Z_\(entity.name)_\(index.name)",
          table: table.name,
          columns: columns,
          condition: index.partialPredicate.flatMap { condition($0, in: entity.name) }
        )
      }
    }
  }

  /// The columns of a fetch index, or `nil` if stores do not have it (coredata-format.md, section
  /// 16).
  ///
  /// A single to-one relationship already has an index on its key, and R-trees are separate tables.
  private func columns(of index: FetchIndex, in entity: Entity) -> [TableIndex.Column]? {
    let isOneRelationship =
      index.elements.count == 1 && storage(of: index.elements[0].property, in: entity.name) != nil
    guard !index.elements.isEmpty, !isOneRelationship,
      !index.elements.contains(where: { $0.kind == .rTree })
    else { return nil }
    if let predicate = index.partialPredicate, condition(predicate, in: entity.name) == nil {
      return nil
    }
    let columns = index.elements.compactMap { element in
      columnName(of: element.property, in: entity.name).map {
        TableIndex.Column(name: $0, direction: element.isAscending ? .ascending : .descending)
      }
    }
    return columns.count == index.elements.count ? columns : nil
  }

  private func condition(_ predicate: String, in entity: String) -> String? {
    IndexPredicate(predicate)?.condition { columnName(of: $0, in: entity) }
  }

  private func uniqueIndexes(of entity: Entity, in table: EntityTable) -> [TableIndex] {
    entity.uniquenessConstraints.compactMap { properties in
      let columns = properties.compactMap { columnName(of: $0, in: entity.name) }
      guard !columns.isEmpty, columns.count == properties.count else { return nil }
      return TableIndex(
        name: "Z_\(entity.name)_UNIQUE_\(properties.joined(separator: "_"))",
        table: table.name,
        columns: columns.map { TableIndex.Column(name: $0, direction: .ascending) },
        isUnique: true
      )
    }
  }

  /// Returns the column of a property, or of the expressions `self` (the primary key) and `entity`
  /// (the entity number) in a fetch index (coredata-format.md, section 16).
  private func columnName(of property: String, in entity: String) -> String? {
    if let column = column(of: property, in: entity) { return column.name }
    if case .foreignKey(let column, _, _) = storage(of: property, in: entity) { return column }
    return switch property {
    case "entity": "Z_ENT"
    case "self", "SELF": "Z_PK"
    default: nil
    }
  }
}

extension TableIndex {
  fileprivate static func plain(_ columns: [String], of table: String) -> TableIndex {
    TableIndex(
      name: "\(table)_\(columns.joined(separator: "_"))" + (columns.count == 1 ? "_INDEX" : ""),
      table: table,
      columns: columns.map { TableIndex.Column(name: $0) }
    )
  }
}
