import SQLite

/// The results of a fetch, in order: all in memory, or loaded in batches on access.
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

  /// Returns the object at an index; loads its batch if necessary.
  ///
  /// - Throws: ``ObjectContextError/missingObject(entity:key:)`` if an object of the batch was
  ///   deleted in the meantime.
  package func object(at index: Int) throws -> ManagedObject {
    guard let batches else { return objects[index] }
    return try batches.object(at: index)
  }
}

extension FetchedObjects {
  /// The keys of a batched fetch and the batches in memory.
  final class Batches {
    let keys: [Int64]
    private let size: Int
    private let plan: SelectPlan
    private let prefetch: [String]
    private let context: ObjectContext
    /// Stored behind a pointer, because it is read for every object.
    private let current: UnsafeMutablePointer<Current>
    private var others: [Int: [ManagedObject]] = [:]

    /// The batch that was accessed last.
    private struct Current {
      var places: Range<Int>
      var objects: [ManagedObject]
    }

    init(keys: [Int64], size: Int, plan: SelectPlan, prefetch: [String], context: ObjectContext) {
      self.keys = keys
      self.size = size
      self.plan = plan
      self.prefetch = prefetch
      self.context = context
      current = .allocate(capacity: 1)
      current.initialize(to: Current(places: 0..<0, objects: []))
    }

    deinit {
      current.deinitialize(count: 1)
      current.deallocate()
    }

    @inline(__always)
    func object(at index: Int) throws -> ManagedObject {
      if !current.pointee.places.contains(index) { try makeCurrent(index / size) }
      return current.pointee.objects[index - current.pointee.places.lowerBound]
    }

    private func makeCurrent(_ number: Int) throws {
      let places = (number * size)..<min(keys.count, (number + 1) * size)
      if context.behaviours.batchRetention == .all, !current.pointee.places.isEmpty {
        others[current.pointee.places.lowerBound / size] = current.pointee.objects
      }
      // Release the previous batch before the next one is loaded, unless all batches are retained.
      current.pointee = Current(places: 0..<0, objects: [])
      let objects = try others.removeValue(forKey: number) ?? load(places)
      current.pointee = Current(places: places, objects: objects)
    }

    private func load(_ places: Range<Int>) throws -> [ManagedObject] {
      let batch = try context.load(Array(keys[places]), plan: plan)
      guard batch.count == places.count else {
        let found = Set(batch.map(\.key))
        let missing = keys[places].first { !found.contains($0) } ?? 0
        throw ObjectContextError.missingObject(entity: plan.description.name, key: missing)
      }
      try context.prefetch(prefetch, of: batch, entity: plan.description)
      return batch
    }
  }
}

/// The tables `_Z_intarray0`, `_Z_intarray1` … of a connection, created on first use.
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
