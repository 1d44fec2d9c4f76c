import DataModel
import PersistentStore

/// Finds what is changed in a few rows of each of an entity's properties.
struct PropertyChangesBuilder {
  let recipe: Recipe
  let layout: StoreLayout
  let root: StreamKey

  /// The changes of one concrete entity by property.
  func changes(
    of described: EntityRecipe,
    clusters: DuplicateClusters?
  ) -> [String: PropertyChanges] {
    guard let entity = recipe.model.entity(named: described.name) else { return [:] }
    let key = root.derived(described.name)
    let edits = TextEdits.all(of: described, clusters: clusters, key: key.derived("near copies"))
    var changes: [String: PropertyChanges] = [:]
    for attribute in recipe.model.attributes(of: entity) {
      changes[attribute.name] = make(
        described,
        attribute.name,
        edits: edits[attribute.name],
        clusters: clusters,
        property: .attribute(
          attribute,
          listed: described.attributes[attribute.name]?.generator.listed ?? []
        )
      )
    }
    for relationship in recipe.model.lineage(of: entity).flatMap(\.relationships)
    where !relationship.isToMany {
      let rows = recipe.rowCount(besides: relationship.destination, in: layout)
      changes[relationship.name] = make(
        described,
        relationship.name,
        edits: nil,
        clusters: nil,
        property: .toOne(firstMissing: Int64(rows + 1))
      )
    }
    return changes
  }

  private func make(
    _ described: EntityRecipe,
    _ name: String,
    edits: TextEdits?,
    clusters: DuplicateClusters?,
    property: DefectiveValues.Property
  ) -> PropertyChanges? {
    let defects = described.defects(of: name).filter(\.defect.isOfRow)
    guard edits != nil || !defects.isEmpty else { return nil }
    let key = root.derived(described.name).derived(name).derived("defects")
    let rows = DefectRows(defects, rows: described.count, key: key) { row in
      // What copies and originals have in common would be a lie otherwise.
      clusters?.rows.contains(row) == true
    }
    return PropertyChanges(
      edits: edits,
      defects: defects.isEmpty ? nil : rows,
      values: DefectiveValues(property: property, key: key.derived("values")),
      rowCount: described.count
    )
  }

  /// The sources of a many-to-many that have a join row to nowhere; `nil` where none has.
  func orphans(of relationship: String, in entity: String, sources: Int) -> DefectRows? {
    let defects = recipe.entity(named: entity)?.defects(of: relationship) ?? []
    guard !defects.isEmpty else { return nil }
    let key = root.derived(entity).derived(relationship).derived("defects")
    return DefectRows(defects, rows: sources, key: key)
  }
}

extension AttributeGenerator {
  /// The values of an enumeration; none of other generators.
  var listed: [Value] {
    switch self {
    case .choice(let values, _): values
    case .hourlyChoice(_, let working, let otherwise): working.values + otherwise.values
    default: []
    }
  }
}

extension Recipe {
  /// The number of objects in an entity's table, its own and those of its relatives.
  func rowCount(besides entity: String, in layout: StoreLayout) -> Int {
    (layout.table(of: entity)?.entities ?? []).reduce(0) {
      $0 + (self.entity(named: $1)?.count ?? 0)
    }
  }

  /// How many keys of a table were handed out to objects that only dangling references know.
  ///
  /// They count towards Z_MAX, as if the objects had been deleted: no new object gets them.
  func missingKeys(in table: EntityTable) -> Int {
    var most = 0
    for entity in entities {
      guard let described = model.entity(named: entity.name) else { continue }
      for defect in entity.defects where [.dangling, .orphaned].contains(defect.defect) {
        let relationship = model.lineage(of: described).flatMap(\.relationships)
          .first { $0.name == defect.property }
        guard let relationship, table.entities.contains(relationship.destination) else { continue }
        most = max(most, defect.count(among: entity.count))
      }
    }
    return most
  }
}
