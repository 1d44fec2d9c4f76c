import DataModel
import PersistentStore
import SQLite

/// Carries out what happens to objects, some of it in each save.
final class AgingPlayer {
  private let store: PersistentStore
  private let context: ObjectContext
  private let dataset: Dataset

  init(store: PersistentStore, dataset: Dataset, threshold: Int) throws {
    var behaviours = StoreBehaviours()
    behaviours.externalStorageThreshold = threshold
    self.store = store
    self.dataset = dataset
    context = try ObjectContext(
      store: store,
      behaviours: behaviours,
      author: dataset.recipe.history?.author
    )
  }

  /// Leaves the -wal as it is when the store is closed.
  func keepLog() throws { store.connection.keepWALAtClose() }

  /// Plays some actions and saves; false where nothing was left to do.
  @discardableResult
  func play(_ actions: some Sequence<AgingPlan.Action>, _ values: LaterValues) throws -> Bool {
    for action in actions {
      let entity = try dataset.entity(action.entity)
      let object = context.object(
        try context.description(of: action.entity),
        key: entity.primaryKey(row: action.row)
      )
      do {
        if action.isDeletion {
          try context.delete(object)
        } else if !object.isDeleted {
          try edit(object, values.values(of: action.entity, row: action.row))
        }
      } catch ObjectContextError.missingObject {
        // A cascade from its owner was faster.
        continue
      }
    }
    guard context.hasChanges else { return false }
    try context.save()
    context.reset()
    return true
  }

  /// Gives the first attribute that changes its new value; a Boolean has only one other.
  private func edit(
    _ object: ManagedObject,
    _ values: [(attribute: String, value: Value)]
  ) throws {
    for (attribute, value) in values {
      let slot = try object.description.slot(of: attribute)
      var value = value
      if case .attribute(let described) = object.description.columns[slot].content,
        described.type == .boolean
      {
        value = .integer(try object.value(at: slot) == .integer(0) ? 1 : 0)
      }
      guard try object.value(at: slot) != value else { continue }
      return try object.setValue(value, at: slot)
    }
  }
}
