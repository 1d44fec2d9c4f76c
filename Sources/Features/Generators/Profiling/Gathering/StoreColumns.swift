import PersistentStore

/// The columns of each entity's table, with what was counted in them, so that a profile and a
/// comparison that follows it read most columns only once.
package final class StoreColumns {
  /// The store, which must not change meanwhile.
  package let content: StoreContent
  private var entities: [String: EntityColumns] = [:]

  /// Reads nothing yet.
  package init(_ content: StoreContent) { self.content = content }

  func columns(of entity: String) -> EntityColumns? {
    if entities[entity] == nil { entities[entity] = EntityColumns(entity, in: content) }
    return entities[entity]
  }
}
