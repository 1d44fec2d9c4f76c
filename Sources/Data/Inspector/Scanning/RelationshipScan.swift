import DataModel
import PersistentStore
import SQLite

/// Counts where the relationships of a store lead, each by one pass over its keys in their order.
struct RelationshipScan {
  let reader: StoreReader
  let layout: StoreLayout

  /// What a relationship of an entity leads to; the objects that have it are counted already.
  func survey(_ relationship: Relationship, of entity: Entity, count: Int64) -> RelationshipSurvey {
    var survey = RelationshipSurvey(
      name: relationship.name,
      destination: relationship.destination,
      inverse: relationship.inverse,
      isToMany: relationship.isToMany,
      isOrdered: relationship.isOrdered,
      isOptional: relationship.isOptional,
      deleteRule: "\(relationship.deleteRule)"
    )
    survey.count = count
    switch layout.storage(of: relationship.name, in: entity.name) {
    case .foreignKey(let column, _, _):
      guard let table = layout.table(of: entity.name)?.name else { break }
      survey.column = "\(table).\(column)"
      countToOne(column, in: table, of: entity, &survey)
    case .inverseForeignKey(let table, let column, _):
      countGroups(column, in: table, &survey)
    case .join(let table, let side):
      countGroups(side.ownColumn, in: table, &survey)
    case nil: break
    }
    return survey
  }

  private func countToOne(
    _ column: String,
    in table: String,
    of entity: Entity,
    _ survey: inout RelationshipSurvey
  ) {
    guard reader.schema.has(column, in: table) else { return }
    let name = "t.\(column.quotedName)"
    let family = numbers(of: entity.name)
    let isWhole = layout.table(of: entity.name)?.root == entity.name
    // The index of the key alone answers where every object of the table has the relationship.
    let condition = isWhole ? "" : " AND t.Z_ENT IN (\(family))"
    let references = integer(
      "SELECT count(*) FROM \(table.quotedName) AS t WHERE \(name) IS NOT NULL\(condition)"
    )
    survey.references = references
    survey.empty = max(0, survey.count - references)
  }

  private func countGroups(_ column: String, in table: String, _ survey: inout RelationshipSurvey) {
    guard reader.schema.has(column, in: table) else { return }
    let name = "t.\(column.quotedName)"
    var sketch = QuantileSketch()
    do {
      let row = try reader.connection.prepare(
        "SELECT count(*) FROM \(table.quotedName) AS t WHERE \(name) IS NOT NULL GROUP BY \(name)"
      )
      while try row.step() {
        sketch.add(Double(row.integer(at: 0)))
        survey.references &+= row.integer(at: 0)
      }
    } catch {
      return
    }
    survey.fanOut = DistributionSurvey(sketch)
    survey.empty = max(0, survey.count - Int64(sketch.count))
  }

  private func numbers(of entity: String) -> String {
    let family = layout.model.entity(named: entity).map { layout.model.family(of: $0) } ?? []
    return family.compactMap { layout.numbers[$0.name] }.map(String.init).joined(separator: ", ")
  }

  private func integer(_ sql: String) -> Int64 {
    (try? reader.connection.integer(sql)) ?? 0
  }
}
