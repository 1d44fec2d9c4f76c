import DataModel
import PersistentStore

/// The statements that copy the pairs of a many-to-many relationship.
struct PairRowPlan {
  let ownTable: String
  let otherTable: String
  let select: String
  let insert: String

  /// `nil` for a relationship that the source does not have.
  ///
  /// - Throws: ``RowCopyError``.
  init?(_ table: JoinTable, _ copy: RowCopy) throws {
    let master = table.master
    guard let entity = copy.mapping.mapping(to: master.entity), let former = entity.source,
      let relationship = entity.relationships.first(where: {
        $0.destination.name == master.relationship
      })?.source
    else { return nil }
    guard case .join(let name, let side)? = copy.source.storage(of: relationship.name, in: former),
      let own = copy.source.table(of: former)?.name,
      let other = copy.source.table(of: relationship.destination)?.name,
      let oldTable = copy.source.joinTables.first(where: { $0.name == name })
    else {
      throw RowCopyError.otherStorage(entity: master.entity, relationship: master.relationship)
    }
    let otherSide = oldTable.master == side ? oldTable.slave : oldTable.master
    let isReflexive = table.master == table.slave
    let orders = [
      (isReflexive ? nil : table.slave.orderColumn, isReflexive ? nil : otherSide.orderColumn),
      (master.orderColumn, side.orderColumn),
    ]
    guard orders.allSatisfy({ $0.0 == nil || $0.1 != nil }) else {
      throw RowCopyError.otherStorage(entity: master.entity, relationship: master.relationship)
    }
    let kept = orders.filter { $0.0 != nil }
    let from = [side.ownColumn, side.otherColumn] + kept.compactMap(\.1)
    let to = [master.ownColumn, master.otherColumn] + kept.compactMap(\.0)
    ownTable = own
    otherTable = other
    select =
      "SELECT \(from.joined(separator: ", ")) FROM \(name) ORDER BY \(from.prefix(2).joined(separator: ", "))"
    insert =
      "INSERT INTO \(table.name) (\(to.joined(separator: ", "))) VALUES ("
      + to.map { _ in "?" }.joined(separator: ", ") + ")"
  }
}
