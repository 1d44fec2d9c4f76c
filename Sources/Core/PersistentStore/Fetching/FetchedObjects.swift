import SQLite

/// The results of a fetch, in order: all in memory, or loaded in batches on access.
package final class FetchedObjects {
  private let batches: Batches?
  /// The batch that was accessed last, or all objects.
  ///
  /// A pointer holds the batch, because it is accessed for every object and a stored property would
  /// need an exclusivity check each time.
  private let current: UnsafeMutablePointer<Batch>

  init(objects: [ManagedObject]) {
    batches = nil
    current = .allocate(capacity: 1)
    current.initialize(to: Batch(places: objects.indices, objects: objects))
  }

  init(batches: Batches) {
    self.batches = batches
    current = .allocate(capacity: 1)
    current.initialize(to: Batch())
  }

  deinit {
    current.deinitialize(count: 1)
    current.deallocate()
  }

  package var count: Int { batches?.keys.count ?? current.pointee.objects.count }

  /// Returns the object at an index; loads its batch if necessary.
  ///
  /// - Throws: ``ObjectContextError/missingObject(entity:key:)`` if an object of the batch was
  ///   deleted in the meantime.
  package func object(at index: Int) throws -> ManagedObject {
    if !current.pointee.places.contains(index) { try makeCurrent(index) }
    return current.pointee.objects[index - current.pointee.places.lowerBound]
  }

  private func makeCurrent(_ index: Int) throws {
    guard let batches else { preconditionFailure("no object at \(index)") }
    batches.keep(current.pointee)
    // If only one batch is kept, release it before the next one is loaded.
    current.pointee = Batch()
    current.pointee = try batches.batch(with: index)
  }
}

extension FetchedObjects {
  /// A batch of consecutive objects in the results.
  struct Batch {
    var places = 0..<0
    var objects: [ManagedObject] = []
  }

  /// The keys of a batched fetch, and the batches kept in memory in addition to the current one.
  final class Batches {
    let keys: [Int64]
    private let size: Int
    private let plan: SelectPlan
    private let prefetches: [Prefetch]
    private let context: ObjectContext
    private var others: [Int: [ManagedObject]] = [:]

    init(
      keys: [Int64],
      size: Int,
      plan: SelectPlan,
      prefetches: [Prefetch],
      context: ObjectContext
    ) {
      self.keys = keys
      self.size = size
      self.plan = plan
      self.prefetches = prefetches
      self.context = context
    }

    fileprivate func keep(_ batch: Batch) {
      guard context.behaviours.batchRetention == .all, !batch.places.isEmpty else { return }
      others[batch.places.lowerBound / size] = batch.objects
    }

    fileprivate func batch(with index: Int) throws -> Batch {
      let number = index / size
      let places = (number * size)..<min(keys.count, (number + 1) * size)
      return Batch(
        places: places,
        objects: try others.removeValue(forKey: number) ?? load(places)
      )
    }

    private func load(_ places: Range<Int>) throws -> [ManagedObject] {
      let batch = try context.load(Array(keys[places]), plan: plan)
      guard batch.count == places.count else {
        let found = Set(batch.map(\.key))
        let missing = keys[places].first { !found.contains($0) } ?? 0
        throw ObjectContextError.missingObject(entity: plan.description.name, key: missing)
      }
      try context.prefetch(prefetches, of: batch, entity: plan.description)
      return batch
    }
  }
}

/// The virtual tables of keys, `_Z_intarray0`, `_Z_intarray1` and so on, of a connection, created
/// on first use.
final class KeyTables {
  private let connection: Connection
  private var arrays: [IntegerArray] = []

  init(connection: Connection) {
    self.connection = connection
  }

  /// Fills `_Z_intarray{index}` with keys for the next statement.
  func bind(_ keys: [Int64], to index: Int = 0) throws {
    while arrays.count <= index {
      arrays.append(try IntegerArray(connection: connection, name: "_Z_intarray\(arrays.count)"))
    }
    arrays[index].values = keys
  }
}
