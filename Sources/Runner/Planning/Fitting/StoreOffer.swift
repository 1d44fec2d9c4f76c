import DataModel
import PersistentStore

/// What a workload's own store offers to a kind: its model, and how many objects there are.
package struct StoreOffer: Sendable {
  package let layout: StoreLayout
  /// Whether it was made elsewhere, by no recipe.
  package let isMade: Bool
  /// One-to-ones, `ENTITY.RELATIONSHIP`, whose sides do not always lead to each other.
  package let oneSided: Set<String>
  private let counts: [String: Int]

  /// Counts are by entity, sub-entities' objects not counted with their super-entity's.
  package init(model: Model, counts: [String: Int], isMade: Bool, oneSided: Set<String> = []) {
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
}
