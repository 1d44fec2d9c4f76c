import PersistentStore

/// The columns of each entity's table with their cached counts.
///
/// A profile and a subsequent comparison share them, so that most columns are read only once.
package final class StoreColumns {
  /// The contents of the store, which must not change while this object exists.
  package let content: StoreContent
  private var entities: [String: EntityColumns] = [:]

  /// Creates an object that reads each column when it is first needed.
  package init(_ content: StoreContent) { self.content = content }

  func columns(of entity: String) -> EntityColumns? {
    if entities[entity] == nil { entities[entity] = EntityColumns(entity, in: content) }
    return entities[entity]
  }
}
