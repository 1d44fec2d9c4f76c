/// Where a relationship of an entity is kept in a store.
package enum RelationshipStorage: Hashable, Sendable {
  /// A to-one: a column of the entity's own table. `entityColumn` holds the target's number.
  case foreignKey(column: String, entityColumn: String?, orderColumn: String?)
  /// A to-many: a column of the destination's table.
  case inverseForeignKey(table: String, column: String, orderColumn: String?)
  /// A many-to-many: a join table, seen from this relationship's side.
  case join(table: String, side: JoinTable.Side)
}
