extension ObjectContext {
  /// Merges changes that were made to an entity's objects outside the context, given their keys
  /// (`mergeChanges(fromRemoteContextSave:into:)`).
  ///
  /// Updated objects in memory become faults, so that their next access reads the store; deleted
  /// objects are marked as deleted. Objects with unsaved changes stay as they are.
  ///
  /// - Returns: The number of objects in memory that the merge changed.
  @discardableResult
  package func merge(
    _ entity: String,
    updated: some Sequence<Int64>,
    deleted: some Sequence<Int64>
  ) throws -> Int {
    let objects = try description(of: entity).objects
    var count = 0
    for key in updated {
      guard let object = objects.object(key), object.hasNoChanges, !object.isFault else { continue }
      object.releaseReached()
      object.unload()
      count += 1
    }
    for key in deleted {
      guard let object = objects.object(key), object.hasNoChanges else { continue }
      object.flags.insert(.deleted)
      if !object.description.joins.isEmpty { hasDeletedPairs = true }
      count += 1
    }
    return count
  }
}

extension ManagedObject {
  fileprivate var hasNoChanges: Bool { flags.isDisjoint(with: [.inserted, .updated, .deleted]) }
}
