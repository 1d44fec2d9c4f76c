import DataModel
import SQLite

/// Finds the data that a store loses if it is opened with another model.
package struct DroppedData {
  private let mapping: MappingModel
  private let layout: StoreLayout
  private let connection: Connection?

  /// Creates a search; without a connection, lost objects and values are not counted.
  package init(mapping: MappingModel, layout: StoreLayout, connection: Connection?) {
    self.mapping = mapping
    self.layout = layout
    self.connection = connection
  }

  /// Returns the dropped entities, then the dropped properties, even those without values.
  package func all() throws -> [DroppedColumn] {
    let objects = try layout.numbers.entities.filter { !$0.isAbstract }
      .compactMap { try droppedObjects(of: $0.name) }
    let properties = try layout.tables.flatMap { table in
      try table.columns.compactMap { try dropped($0) }
    }
    return objects + properties + (try layout.joinTables.compactMap { try dropped($0) })
      + (try unconverted())
  }

  private func unconverted() throws -> [DroppedColumn] {
    guard mapping.map != nil, let connection else { return [] }
    try MappedValues.register(on: connection, externalFiles: "")
    let values = MappedValues(source: layout, schema: "main", now: 0)
    return try mapping.entities.flatMap { entity in
      try entity.attributes.compactMap { attribute -> DroppedColumn? in
        guard case .converted(let inner, let conversion)? = attribute.value,
          let former = entity.source,
          let path = inner.paths.first, let table = layout.table(of: former)?.name
        else { return nil }
        let before = values.sql(inner, in: former)
        let after = values.sql(of: attribute, in: entity, fillsMissing: false)
        let count = try connection.integer(
          "SELECT count(*) FROM \(table.quotedName) AS t WHERE \(values.condition(of: entity)) "
            + "AND \(before) IS NOT NULL AND \(after) IS NULL"
        )
        guard let count, count > 0 else { return nil }
        var dropped = DroppedColumn(
          kind: .attribute,
          entity: former,
          property: path.joined(separator: "."),
          count: count
        )
        dropped.conversion = conversion.rawValue
        return dropped
      }
    }
  }

  private func droppedObjects(of entity: String) throws -> DroppedColumn? {
    let mappings = mapping.mappings(from: entity)
    guard mappings.allSatisfy({ !$0.conditions.isEmpty }) else { return nil }
    var dropped = DroppedColumn(kind: .objects, entity: entity, property: nil, count: nil)
    dropped.isIntended = mapping.map?.dropped.contains(entity) ?? false
    guard !mappings.isEmpty else {
      dropped.count = try count("*", of: [entity])
      return dropped
    }
    guard let connection, let table = layout.table(of: entity)?.name else { return dropped }
    let values = MappedValues(source: layout, schema: "main", now: 0)
    let taken = mappings.map { "(\(values.condition(of: $0)))" }.joined(separator: " OR ")
    dropped.count = try connection.integer(
      "SELECT count(*) FROM \(table.quotedName) AS t WHERE t.Z_ENT = \(layout.numbers[entity] ?? 0) "
        + "AND NOT (\(taken))"
    )
    return dropped.count == 0 ? nil : dropped
  }

  private func losers(of declarer: String, keeps: (EntityMapping) -> Bool) -> [String] {
    guard let entity = layout.model.entity(named: declarer) else { return [] }
    return layout.model.family(of: entity).filter { !$0.isAbstract }.map(\.name).filter { name in
      let mappings = mapping.mappings(from: name)
      return !mappings.isEmpty && !mappings.contains(where: keeps)
    }
  }

  private func dropped(_ column: Column) throws -> DroppedColumn? {
    let losers: [String]
    let kind: DroppedColumn.Kind
    switch column.content {
    case .attribute(let attribute):
      kind = .attribute
      losers = self.losers(of: column.entity) { mapping in
        mapping.conditions.contains { $0.attribute == attribute.name }
          || mapping.attributes.contains {
            !$0.destination.isTransient && $0.reads(attribute.name)
          }
      }
    case .foreignKey(let relationship):
      kind = .relationship
      losers = self.losers(of: column.entity) { $0.leads(along: relationship.name) }
        .filter { _ in !isKeptByInverse(relationship) }
    // The key of a relationship without an inverse is in the table of the destination, not in that
    // of the relationship's entity.
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
    let mappings = mapping.mappings(from: entity)
    return !mappings.isEmpty && !mappings.contains { $0.leads(along: relationship.name) }
  }

  private func isKeptByInverse(_ relationship: Relationship) -> Bool {
    guard let inverse = layout.model.inverse(of: relationship),
      mapping.map != nil || inverse.isToMany,
      let entity = layout.model.entity(named: relationship.destination)
    else { return false }
    return layout.model.family(of: entity).contains { entity in
      mapping.mappings(from: entity.name).contains { $0.leads(along: inverse.name) }
    }
  }

  private func dropped(_ table: JoinTable) throws -> DroppedColumn? {
    let sides = [table.master, table.slave]
    guard sides.allSatisfy({ mapping.mapping(from: $0.entity) != nil }) else { return nil }
    let isKept = sides.contains { side in
      mapping.mappings(from: side.entity).flatMap(\.relationships).contains { pair in
        pair.source?.name == side.relationship && pair.destination.isToMany
          && !pair.destination.isTransient
          && mapping.destination.inverse(of: pair.destination)?.isToMany != false
      }
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

extension DroppedData {
  /// Returns, for each to-one relationship that becomes one-to-one, the number of objects that
  /// would lose their target.
  ///
  /// Several objects share such a target, and an object-by-object copy can keep it for only one of
  /// them.
  package func shared() throws -> [MappingModel.NewOneToOne: Int64] {
    var counts: [MappingModel.NewOneToOne: Int64] = [:]
    for new in mapping.newOneToOnes {
      guard let former = mapping.mapping(to: new.entity)?.source,
        let table = layout.table(of: former)?.name,
        case .foreignKey(let key, _, _)? = layout.storage(of: new.former.name, in: former)
      else { continue }
      let column = key.quotedName
      let count = try connection?.integer(
        "SELECT count(\(column)) - count(DISTINCT \(column)) FROM \(table.quotedName)"
      )
      if let count, count > 0 { counts[new] = count }
    }
    return counts
  }
}

extension EntityMapping {
  fileprivate func leads(along relationship: String) -> Bool {
    relationships.contains {
      $0.source?.name == relationship && !$0.destination.isTransient
        && $0.expression != RelationshipExpression.none
    }
  }
}

extension AttributeMapping {
  fileprivate func reads(_ attribute: String) -> Bool {
    guard let value else { return source?.name == attribute }
    return value.paths.contains([attribute])
  }
}

/// A column, or all objects of an entity, that opening a store with another model would drop.
package struct DroppedColumn: Hashable, Encodable, Sendable {
  package enum Kind: String, Encodable, Sendable {
    case objects
    case attribute
    case relationship
  }

  package let kind: Kind
  package let entity: String
  /// The property, or `nil` if all objects of the entity are dropped.
  package let property: String?
  /// The number of lost objects, non-null values or pairs; `nil` if no store was given.
  package fileprivate(set) var count: Int64?
  /// Whether the migration map drops the data on purpose.
  package fileprivate(set) var isIntended = false
  /// The name of the map's conversion that cannot convert the values; `nil` for other losses.
  package fileprivate(set) var conversion: String?

  /// The name in reports: the entity, or the entity and the property.
  package var name: String { property.map { "\(entity).\($0)" } ?? entity }
}
