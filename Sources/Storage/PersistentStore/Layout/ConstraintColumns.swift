import DataModel

/// The columns of the unique constraints that a table's entities have.
struct ConstraintColumns {
  let model: Model
  let columns: [Column]

  /// A list of column names for each constraint of the root entity and of those below it.
  func lists(below root: Entity) -> [[String]] {
    model.family(of: root).flatMap { entity in
      entity.uniquenessConstraints.map { properties in
        properties.compactMap { name(of: $0, in: entity) }
      }
    }
  }

  private func name(of property: String, in entity: Entity) -> String? {
    let declarer = model.declarer(of: property, in: entity)?.name
    return columns.first { column in
      guard column.property == property, column.entity == declarer else { return false }
      switch column.content {
      case .attribute, .foreignKey: return true
      case .foreignEntity, .inverselessKey, .orderKey: return false
      }
    }?.name
  }
}
