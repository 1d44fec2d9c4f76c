/// The results of a fetch, in order: all in memory, or loaded batch by batch as they are accessed.
package final class FetchedObjects {
  private let objects: [ManagedObject]
  private let batches: Batches?

  init(objects: [ManagedObject]) {
    self.objects = objects
    batches = nil
  }

  init(batches: Batches) {
    objects = []
    self.batches = batches
  }

  package var count: Int { batches?.keys.count ?? objects.count }

  /// The object at a position; loads its batch where that is not in memory.
  ///
  /// - Throws: ``ObjectContextError/missingObject(entity:key:)`` where it was deleted meanwhile.
  package func object(at index: Int) throws -> ManagedObject {
    guard let batches else { return objects[index] }
    return try batches.object(at: index)
  }
}

/// The keys of a batched fetch and the batches that are in memory.
final class Batches {
  let keys: [Int64]
  private let size: Int
  private let plan: SelectPlan
  private let prefetch: [String]
  private let context: ObjectContext
  private var loaded: [Int: [ManagedObject]] = [:]

  init(
    keys: [Int64], size: Int, plan: SelectPlan, prefetch: [String], context: ObjectContext
  ) {
    self.keys = keys
    self.size = size
    self.plan = plan
    self.prefetch = prefetch
    self.context = context
  }

  func object(at index: Int) throws -> ManagedObject {
    let (number, offset) = index.quotientAndRemainder(dividingBy: size)
    let batch = try loaded[number] ?? load(number)
    guard offset < batch.count else {
      throw ObjectContextError.missingObject(entity: plan.description.name, key: keys[index])
    }
    return batch[offset]
  }

  private func load(_ number: Int) throws -> [ManagedObject] {
    if context.behaviours.batchRetention == .current { loaded.removeAll(keepingCapacity: true) }
    let range = (number * size)..<min(keys.count, (number + 1) * size)
    let batch = try context.load(Array(keys[range]), plan: plan)
    guard batch.count == range.count else {
      let found = Set(batch.map(\.key))
      let missing = keys[range].first { !found.contains($0) } ?? 0
      throw ObjectContextError.missingObject(entity: plan.description.name, key: missing)
    }
    try context.prefetch(prefetch, of: batch, entity: plan.description)
    loaded[number] = batch
    return batch
  }
}
