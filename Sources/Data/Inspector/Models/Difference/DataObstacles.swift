import DataModel
import PersistentStore
import SQLite

/// Looks in a store for data that a migration would fail on.
struct DataObstacles {
  let mapping: MappingModel
  let layout: StoreLayout
  let connection: Connection

  func all() throws -> [DataObstacle] {
    try mapping.entities.flatMap { entity in
      guard let source = entity.source else { return [DataObstacle]() }
      let duplicates = try entity.addedConstraints.compactMap {
        try self.duplicates($0, of: source, entity)
      }
      return duplicates + (try missingValues(of: source, entity))
    }
  }

  private func duplicates(
    _ constraint: [String],
    of source: String,
    _ entity: EntityMapping
  ) throws -> DataObstacle? {
    let columns = constraint.compactMap { name in
      entity.attributes.first { $0.destination.name == name }?.source
        .flatMap { layout.column(of: $0.name, in: source)?.name }
    }
    // A new attribute has no values yet; its constraint is checked by nobody but the migration.
    guard columns.count == constraint.count, let rows = rows(of: source) else { return nil }
    let list = columns.joined(separator: ", ")
    let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let count = try connection.integer(
      "SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM \(rows) AND \(present) "
        + "GROUP BY \(list) HAVING count(*) > 1)"
    )
    guard let count, count > 0 else { return nil }
    return DataObstacle(
      kind: .duplicates,
      entity: entity.destination,
      properties: constraint,
      count: count
    )
  }

  private func missingValues(of source: String, _ entity: EntityMapping) throws -> [DataObstacle] {
    try entity.attributes.compactMap { attribute in
      guard attribute.isMadeRequired, attribute.destination.defaultValue == .null,
        let former = attribute.source, let rows = rows(of: source),
        let column = layout.column(of: former.name, in: source)?.name
      else { return nil }
      let count = try connection.integer("SELECT count(*) FROM \(rows) AND \(column) IS NULL")
      guard let count, count > 0 else { return nil }
      return DataObstacle(
        kind: .missingValues,
        entity: entity.destination,
        properties: [attribute.destination.name],
        count: count
      )
    }
  }

  /// A table with a condition for the objects of an entity and of those below it.
  private func rows(of name: String) -> String? {
    guard let table = layout.table(of: name), let entity = layout.model.entity(named: name) else {
      return nil
    }
    let numbers = layout.model.family(of: entity).compactMap { layout.numbers[$0.name] }
    return "\(table.name) WHERE Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
  }
}
