import DataModel

/// Finds where each relationship of a model is kept, once the tables are laid out.
struct StorageMap {
  let model: Model
  let tables: [EntityTable]
  let tableIndexes: [String: Int]
  let joinTables: [JoinTable]

  /// The storages by "Entity.relationship" of the declaring entity.
  var storages: [String: RelationshipStorage] {
    var result: [String: RelationshipStorage] = [:]
    for entity in model.entities {
      for relationship in entity.relationships where !relationship.isTransient {
        result["\(entity.name).\(relationship.name)"] = storage(of: relationship, in: entity)
      }
    }
    return result
  }

  private func storage(of relationship: Relationship, in entity: Entity) -> RelationshipStorage? {
    if !relationship.isToMany { return toOne(relationship, in: entity) }
    for table in joinTables {
      if let side = table.side(of: relationship.name, declaredBy: entity.name) {
        return .join(table: table.name, side: side)
      }
    }
    return toMany(relationship, in: entity)
  }

  private func toOne(_ relationship: Relationship, in entity: Entity) -> RelationshipStorage? {
    guard let table = tableIndexes[entity.name].map({ tables[$0] }),
      let key = table.column(of: entity.name, where: { $0 == .foreignKey(relationship) })
    else { return nil }
    return .foreignKey(
      column: key.name,
      entityColumn: table.column(of: entity.name, where: { $0 == .foreignEntity(relationship) })?
        .name,
      orderColumn: table.column(of: entity.name, where: { $0 == .orderKey(relationship) })?.name
    )
  }

  private func toMany(_ relationship: Relationship, in entity: Entity) -> RelationshipStorage? {
    guard let table = tableIndexes[relationship.destination].map({ tables[$0] }) else { return nil }
    guard let inverse = model.inverse(of: relationship) else {
      let content = Column.Content.inverselessKey(relationship, source: entity.name)
      return table.column(of: table.root, where: { $0 == content }).map {
        .inverseForeignKey(table: table.name, column: $0.name, orderColumn: nil)
      }
    }
    guard let destination = model.entity(named: relationship.destination),
      let declaring = model.declarer(of: inverse.name, in: destination)?.name
    else { return nil }
    let key = table.column(of: declaring, where: { $0 == .foreignKey(inverse) })
    let order = table.column(of: declaring, where: { $0 == .orderKey(inverse) })
    return key.map {
      .inverseForeignKey(table: table.name, column: $0.name, orderColumn: order?.name)
    }
  }
}
