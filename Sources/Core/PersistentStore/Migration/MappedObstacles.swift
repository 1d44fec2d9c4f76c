import DataModel
import SQLite

/// Finds the values in a store that would make a migration with a mapping model fail.
package struct MappedObstacles {
  /// The number of objects of a new entity that prevent the copy, and the affected properties.
  package struct Found: Hashable, Sendable {
    package let entity: String
    package let properties: [String]
    package let count: Int64
  }

  private let mapping: MappingModel
  private let layout: StoreLayout
  private let connection: Connection
  private let externalFiles: String
  private let values: MappedValues

  /// Creates a search on a connection to the old store; the file is not changed.
  package init(
    mapping: MappingModel,
    layout: StoreLayout,
    connection: Connection,
    externalFiles: String
  ) {
    self.mapping = mapping
    self.layout = layout
    self.connection = connection
    self.externalFiles = externalFiles
    values = MappedValues(source: layout, schema: "main", now: 0)
  }

  /// Counts objects, from any old entities, that would violate a unique constraint.
  package func duplicates() throws -> [Found] {
    try MappedValues.register(on: connection, externalFiles: externalFiles)
    return try mapping.destination.entities.flatMap { entity in
      try entity.uniquenessConstraints.compactMap { constraint -> Found? in
        let family = mapping.destination.family(of: entity).map(\.name)
        let rows = mapping.entities.filter { family.contains($0.destination) }
          .compactMap { self.rows(of: constraint, in: $0) }
        guard !rows.isEmpty else { return nil }
        let columns = constraint.indices.map { "c\($0)" }
        let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let count = try connection.integer(
          "SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM "
            + "(\(rows.joined(separator: " UNION ALL "))) WHERE \(present) "
            + "GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1)"
        )
        guard let count, count > 0 else { return nil }
        return Found(entity: entity.name, properties: constraint, count: count)
      }
    }
  }

  /// Counts objects that would lack a required value without a default.
  package func missingValues() throws -> [Found] {
    try MappedValues.register(on: connection, externalFiles: externalFiles)
    return try mapping.entities.flatMap { entity in
      try entity.attributes.compactMap { attribute -> Found? in
        let new = attribute.destination
        guard !new.isOptional, !new.isTransient, new.defaultValue == .null, new.derivation == nil,
          let rows = rows(of: [new.name], in: entity)
        else { return nil }
        let count = try connection.integer("SELECT count(*) FROM (\(rows)) WHERE c0 IS NULL")
        guard let count, count > 0 else { return nil }
        return Found(entity: entity.destination, properties: [new.name], count: count)
      }
    }
  }

  /// A query for attribute values (`c0`, `c1` and so on) of the objects that a mapping creates, or
  /// `nil` if the mapping lacks one of the attributes.
  private func rows(of attributes: [String], in entity: EntityMapping) -> String? {
    guard let table = entity.source.flatMap(layout.table(of:))?.name else { return nil }
    let columns = attributes.compactMap { name in
      entity.attributes.first { $0.destination.name == name }
        .flatMap { values.sql(of: $0, in: entity) }
    }
    guard columns.count == attributes.count else { return nil }
    let list = columns.enumerated().map { "\($1) AS c\($0)" }.joined(separator: ", ")
    return "SELECT \(list) FROM \(table.quotedName) AS t WHERE \(values.condition(of: entity))"
  }
}
