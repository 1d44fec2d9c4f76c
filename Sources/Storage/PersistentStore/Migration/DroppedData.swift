import DataModel
import SQLite

/// Finds what a store loses when it is opened with another model.
package struct DroppedData {
  private let mapping: MappingModel
  private let layout: StoreLayout
  private let connection: Connection?

  /// Without a connection the counts are left open.
  package init(mapping: MappingModel, layout: StoreLayout, connection: Connection?) {
    self.mapping = mapping
    self.layout = layout
    self.connection = connection
  }

  /// Objects of entities that go, then properties, whether anything is in them or not.
  ///
  /// - Throws: ``SQLite/SQLiteError``.
  package func all() throws -> [DroppedColumn] {
    let objects = try layout.numbers.entities
      .filter { !$0.isAbstract && mapping.mapping(from: $0.name) == nil }
      .map { entity in
        DroppedColumn(
          kind: .objects,
          entity: entity.name,
          property: nil,
          count: try count("*", of: [entity.name])
        )
      }
    let properties = try layout.tables.flatMap { table in
      try table.columns.compactMap { try dropped($0) }
    }
    return objects + properties + (try layout.joinTables.compactMap { try dropped($0) })
  }

  /// The entities below a declaring one whose objects stay and lose the property.
  private func losers(
    of declarer: String,
    keeps: (EntityMapping) -> Bool
  ) -> [String] {
    guard let entity = layout.model.entity(named: declarer) else { return [] }
    return layout.model.family(of: entity).filter { !$0.isAbstract }.map(\.name).filter { name in
      mapping.mapping(from: name).map { !keeps($0) } ?? false
    }
  }

  private func dropped(_ column: Column) throws -> DroppedColumn? {
    let losers: [String]
    let kind: DroppedColumn.Kind
    switch column.content {
    case .attribute(let attribute):
      kind = .attribute
      losers = self.losers(of: column.entity) { mapping in
        mapping.attributes.contains {
          $0.source?.name == attribute.name && !$0.destination.isTransient
        }
      }
    case .foreignKey(let relationship):
      kind = .relationship
      losers = self.losers(of: column.entity) { mapping in
        mapping.relationships.contains {
          $0.source?.name == relationship.name && !$0.destination.isTransient
        }
      }
    // Such a key stands in another entity's table, and goes with the to-many that put it there.
    case .inverselessKey(let relationship, let source):
      guard isDropped(relationship, of: source) else { return nil }
      return DroppedColumn(
        kind: .relationship,
        entity: source,
        property: relationship.name,
        count: try count(
          column.name,
          of: layout.table(of: relationship.destination)?.entities ?? []
        )
      )
    case .foreignEntity, .orderKey: return nil
    }
    guard !losers.isEmpty else { return nil }
    return DroppedColumn(
      kind: kind,
      entity: losers.count == 1 ? losers[0] : column.entity,
      property: column.property,
      count: try count(column.name, of: losers)
    )
  }

  private func isDropped(_ relationship: Relationship, of entity: String) -> Bool {
    guard let kept = mapping.mapping(from: entity) else { return false }
    return !kept.relationships.contains {
      $0.source?.name == relationship.name && !$0.destination.isTransient
    }
  }

  /// A pair goes where neither of the two relationships is many-to-many any more.
  private func dropped(_ table: JoinTable) throws -> DroppedColumn? {
    let sides = [table.master, table.slave]
    guard sides.allSatisfy({ mapping.mapping(from: $0.entity) != nil }) else { return nil }
    let isKept = sides.contains { side in
      mapping.mapping(from: side.entity)?.relationships.contains { pair in
        pair.source?.name == side.relationship && pair.destination.isToMany
          && !pair.destination.isTransient
          && mapping.destination.inverse(of: pair.destination)?.isToMany != false
      } ?? false
    }
    guard !isKept else { return nil }
    return DroppedColumn(
      kind: .relationship,
      entity: table.master.entity,
      property: table.master.relationship,
      count: try connection?.integer("SELECT count(*) FROM \(table.name)")
    )
  }

  private func count(_ what: String, of entities: [String]) throws -> Int64? {
    guard let connection, let first = entities.first, let table = layout.table(of: first) else {
      return nil
    }
    return try connection.integer(
      "SELECT count(\(what)) FROM \(table.name) "
        + "WHERE Z_ENT IN (\(layout.numbers.list(of: entities)))"
    )
  }
}

/// A column, or the whole table of an entity's objects, that opening a store with another model
/// would drop.
package struct DroppedColumn: Hashable, Encodable, Sendable {
  package enum Kind: String, Encodable, Sendable {
    case objects
    case attribute
    case relationship
  }

  package let kind: Kind
  package let entity: String
  /// `nil` where all objects of the entity go.
  package let property: String?
  /// How many objects, non-null values or pairs are lost; `nil` where no store was given.
  package let count: Int64?

  /// The entity, or the entity and the property, as a report names them.
  package var name: String { property.map { "\(entity).\($0)" } ?? entity }
}
