import DataModel
import PersistentStore

/// Finds what fills each column of a table for one concrete entity.
struct ColumnPlan {
  let dataset: Dataset
  let source: EntitySource

  func columns(of table: EntityTable) -> [ColumnSource] {
    guard let entity = dataset.recipe.model.entity(named: source.name) else { return [] }
    let lineage = Set(dataset.recipe.model.lineage(of: entity).map(\.name))
    return table.columns.map { column in
      if case .inverselessKey(let relationship, let declaring) = column.content {
        return dataset.inverselessParents["\(declaring).\(relationship.name)"].map { .key($0) }
          ?? .null
      }
      return lineage.contains(column.entity) ? self.column(column.content) : .null
    }
  }

  private func column(_ content: Column.Content) -> ColumnSource {
    let column = plain(content)
    switch content {
    case .attribute(let attribute): return changed(column, attribute.name, .value)
    case .foreignKey(let relationship): return changed(column, relationship.name, .value)
    case .foreignEntity(let relationship):
      return changed(column, relationship.name, .entityNumber)
    case .orderKey(let relationship): return changed(column, relationship.name, .order)
    case .inverselessKey: return column
    }
  }

  private func changed(
    _ column: ColumnSource,
    _ property: String,
    _ part: PropertyChanges.Part
  ) -> ColumnSource {
    source.changes[property].map { .changed(column, $0, part) } ?? column
  }

  private func plain(_ content: Column.Content) -> ColumnSource {
    switch content {
    case .attribute(let attribute): self.attribute(attribute)
    case .foreignKey(let relationship):
      source.relationships[relationship.name].map { .key($0) } ?? .null
    case .foreignEntity(let relationship):
      source.relationships[relationship.name].map { .entityNumber($0) } ?? .null
    case .orderKey(let relationship):
      source.relationships[relationship.name].map { .order($0) } ?? .null
    case .inverselessKey: .null
    }
  }

  private func attribute(_ attribute: Attribute) -> ColumnSource {
    guard let values = source.attributes[attribute.name] else { return .null }
    if values.makesFiles { return .file(values) }
    guard attribute.allowsExternalStorage else { return .attribute(values) }
    return .external(values, threshold: dataset.recipe.externalStorageThreshold)
  }
}
