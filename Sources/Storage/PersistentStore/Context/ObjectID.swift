/// The identity of an object: its entity's number and its primary key.
///
/// Keys below zero are temporary: objects that were inserted and not saved yet.
package struct ObjectID: Hashable, Comparable, Sendable {
  package let entity: Int
  package let key: Int64

  package init(entity: Int, key: Int64) {
    self.entity = entity
    self.key = key
  }

  package var isTemporary: Bool { key < 0 }

  package static func < (left: ObjectID, right: ObjectID) -> Bool {
    (left.entity, left.key) < (right.entity, right.key)
  }
}
