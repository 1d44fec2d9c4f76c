import DataModel
import PersistentStore
import SQLite
import Synchronization

/// What a workload's own store offers to a kind: its model, and how many objects there are.
package struct StoreOffer: Sendable {
  package let layout: StoreLayout
  /// Whether it was made elsewhere, by no recipe.
  package let isMade: Bool
  /// One-to-ones, `ENTITY.RELATIONSHIP`, whose sides do not always lead to each other.
  package let oneSided: Set<String>
  private let counts: [String: Int]
  /// The store that was made elsewhere; `nil` where what it holds is not known.
  private let file: StoreFile?
  private let losses = Losses()

  /// Counts are by entity, sub-entities' objects not counted with their super-entity's.
  package init(
    model: Model,
    counts: [String: Int],
    isMade: Bool,
    oneSided: Set<String> = [],
    file: StoreFile? = nil
  ) {
    self.file = file
    layout = StoreLayout(model: model, keepsHistory: false)
    self.counts = counts
    self.isMade = isMade
    self.oneSided = oneSided
  }

  package var model: Model { layout.model }

  /// The objects of an entity and of its sub-entities.
  package func count(of entity: Entity) -> Int {
    model.family(of: entity).reduce(0) { $0 + ownCount(of: $1.name) }
  }

  /// The objects of an entity, its sub-entities' not counted.
  package func ownCount(of entity: String) -> Int { counts[entity] ?? 0 }

  package var objectCount: Int { counts.values.reduce(0, +) }

  /// The entity with most objects of its own, the first by number among equals; `nil` for an empty
  /// store.
  package var largestEntity: Entity? {
    var largest: (entity: Entity, count: Int)?
    for entity in layout.numbers.entities {
      let count = ownCount(of: entity.name)
      if count > largest?.count ?? 0 { largest = (entity, count) }
    }
    return largest?.entity
  }

  /// What the store's objects would lose in another model: only what there is, and nothing of a store
  /// that a recipe makes.
  ///
  /// - Throws: ``PersistentStoreError``, ``SQLiteError``.
  package func dropped(by model: Model) throws -> [DroppedColumn] {
    guard let file else { return [] }
    return try losses.by(model) { try Self.dropped(from: file, by: model) }
  }

  private static func dropped(from file: StoreFile, by model: Model) throws -> [DroppedColumn] {
    let store = try PersistentStore.open(file, mode: file.restingMode)
    try store.connection.distrustSchema()
    return try DroppedData(
      mapping: MappingModel(from: store.model, to: model),
      layout: store.layout,
      connection: store.connection
    ).all().filter { ($0.count ?? 0) > 0 }
  }

  /// What was counted, so that the cases of one model count once.
  private final class Losses: Sendable {
    private let known = Mutex<[Model: [DroppedColumn]]>([:])

    func by(_ model: Model, _ count: () throws -> [DroppedColumn]) throws -> [DroppedColumn] {
      try known.withLock { known in
        if let dropped = known[model] { return dropped }
        let dropped = try count()
        known[model] = dropped
        return dropped
      }
    }
  }
}
