import DataModel
import PersistentStore

/// Reads objects through a context, batch by batch in the order of their keys.
struct ContextSource: ObjectSource {
  let context: ObjectContext
  let plan: CopyPlan
  let fetchBatchSize: Int

  func forEachObject(_ body: (CarriedObject) throws -> Void) throws {
    for root in plan.roots {
      try forEach(
        root,
        read: { object, copy in
          let values = try copy.attributes.map { try object.value(of: $0.source?.name ?? "") }
          return CarriedObject(copy: copy, key: object.key, values: values)
        },
        body
      )
    }
  }

  func forEachLinks(_ body: (CarriedLinks) throws -> Void) throws {
    for root in plan.roots where hasLinks(root) {
      try forEach(
        root,
        read: { object, copy in
          guard !copy.links.isEmpty else { return nil }
          let targets = try copy.links.map { try keys(of: $0.source, from: object) }
          return CarriedLinks(copy: copy, key: object.key, targets: targets)
        },
        body
      )
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

  /// Reads a page and forgets its objects before what was read is handed on: whoever takes it may
  /// load a page of copies.
  private func forEach<Carried>(
    _ root: String,
    read: (ManagedObject, CopyPlan.EntityCopy) throws -> Carried?,
    _ body: (Carried) throws -> Void
  ) throws {
    try context.forEachPage(of: root, size: fetchBatchSize) { keys in
      let page = try carried(by: keys, of: root, read)
      // What was reached through a page's objects goes with the page.
      context.reset()
      for carried in page { try body(carried) }
    }
  }

  private func carried<Carried>(
    by keys: [Int64],
    of root: String,
    _ read: (ManagedObject, CopyPlan.EntityCopy) throws -> Carried?
  ) throws -> [Carried] {
    let objects = try context.objects(root, keys: keys, fetchBatchSize: fetchBatchSize)
    return try keys.indices.compactMap { index in
      let object = try objects.object(at: index)
      return try plan.entities[object.description.name].flatMap { try read(object, $0) }
    }
  }
}
