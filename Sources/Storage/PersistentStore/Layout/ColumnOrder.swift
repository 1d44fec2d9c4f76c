import DataModel

/// Lays out the columns of one table in the frameworks' order (coredata-format.md, section 4).
struct ColumnOrder {
  let model: Model
  let numbers: EntityNumbers

  /// The columns of a root entity's table, with the names that collisions leave them.
  func columns(of root: Entity) -> [Column] {
    let family = model.family(of: root)
    var columns: [Column] = []
    for entity in family { columns += integers(of: entity) }
    columns += inverselessKeys(into: family, root: root.name)
    for entity in family { columns += orderKeys(of: entity) }
    for group in 3...10 {
      for entity in family { columns += attributes(of: entity, group: group) }
    }
    return renamingCollisions(columns)
  }

  private func attributes(of entity: Entity, group: Int) -> [Column] {
    entity.attributes
      .filter { !$0.isTransient && $0.type.columnGroup == group }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      .map {
        Column(
          name: columnName($0.name),
          type: $0.type.declaredType,
          content: .attribute($0),
          entity: entity.name
        )
      }
  }

  private func toOnes(of entity: Entity) -> [Relationship] {
    entity.relationships
      .filter { !$0.isToMany && !$0.isTransient }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private func integers(of entity: Entity) -> [Column] {
    var columns = attributes(of: entity, group: 1)
    for relationship in toOnes(of: entity) {
      columns.append(
        Column(
          name: columnName(relationship.name),
          type: .integer,
          content: .foreignKey(relationship),
          entity: entity.name
        )
      )
      guard let number = numbers[relationship.destination],
        !model.subentities(of: relationship.destination).isEmpty
      else { continue }
      columns.append(
        Column(
          name: "Z\(number)_\(relationship.name.uppercased())",
          type: .integer,
          content: .foreignEntity(relationship),
          entity: entity.name
        )
      )
    }
    return columns
  }

  /// The keys that to-manys without inverse, of any entity, leave in this table.
  private func inverselessKeys(into family: [Entity], root: String) -> [Column] {
    let names = Set(family.map(\.name))
    return numbers.entities.flatMap { source -> [Column] in
      let number = numbers[source.name] ?? 0
      return source.relationships
        .filter {
          $0.isToMany && !$0.isTransient && $0.inverse == nil && names.contains($0.destination)
        }
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        .map {
          Column(
            name: "Z\(number)\($0.name.uppercased())",
            type: .integer,
            content: .inverselessKey($0, source: source.name),
            entity: root
          )
        }
    }
  }

  private func orderKeys(of entity: Entity) -> [Column] {
    toOnes(of: entity)
      .filter { model.inverse(of: $0)?.isOrdered == true }
      .map {
        Column(
          name: "Z_FOK_\($0.name.uppercased())",
          type: .integer,
          content: .orderKey($0),
          entity: entity.name
        )
      }
  }

  private func columnName(_ property: String) -> String { "Z" + property.uppercased() }

  /// The first column of a name keeps it; the next ones get 1, 2, 3 … in column order.
  private func renamingCollisions(_ columns: [Column]) -> [Column] {
    var uses: [String: Int] = [:]
    return columns.map { column in
      var column = column
      let earlier = uses[column.name, default: 0]
      uses[column.name] = earlier + 1
      if earlier > 0 { column.name += String(earlier) }
      return column
    }
  }
}
