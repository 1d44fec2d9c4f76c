import DataModel
import PersistentStore

/// Reads objects through a context, batch by batch in the order of their keys.
struct ContextSource: ObjectSource {
  let context: ObjectContext
  let plan: CopyPlan
  let fetchBatchSize: Int

  func forEachObject(_ body: (CarriedObject) throws -> Void) throws {
    for root in plan.roots {
      try forEach(root) { object, copy in
        let values = try copy.attributes.map { try object.value(of: $0.source?.name ?? "") }
        try body(CarriedObject(copy: copy, key: object.key, values: values))
      }
    }
  }

  func forEachLinks(_ body: (CarriedLinks) throws -> Void) throws {
    for root in plan.roots where hasLinks(root) {
      try forEach(root) { object, copy in
        guard !copy.links.isEmpty else { return }
        let targets = try copy.links.map { try keys(of: $0.source, from: object) }
        try body(CarriedLinks(copy: copy, key: object.key, targets: targets))
      }
    }
  }

  private func hasLinks(_ root: String) -> Bool {
    context.layout.table(of: root)?.entities
      .contains { plan.entities[$0]?.links.isEmpty == false } ?? false
  }

  private func keys(
    of relationship: Relationship,
    from object: ManagedObject
  ) throws -> [Int64] {
    if let toOne = object.description.toOne(relationship.name) {
      return try object.targetKey(of: toOne).map { [$0] } ?? []
    }
    return try object.targets(of: relationship.name).map(\.key)
  }

  private func forEach(
    _ root: String,
    _ body: (ManagedObject, CopyPlan.EntityCopy) throws -> Void
  ) throws {
    try context.forEachPage(of: root, size: fetchBatchSize) { keys in
      let objects = try context.objects(root, keys: keys, fetchBatchSize: fetchBatchSize)
      for index in keys.indices {
        let object = try objects.object(at: index)
        if let copy = plan.entities[object.description.name] { try body(object, copy) }
      }
      // What was reached through a page's objects goes with the page.
      context.reset()
    }
  }
}
