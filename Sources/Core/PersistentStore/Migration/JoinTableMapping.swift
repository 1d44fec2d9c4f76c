import DataModel

struct JoinTableMapping {
  let destination: JoinTable
  let source: Pairs?
  let placesNewOrders: Bool

  /// The old table and columns that hold the pairs of keys.
  ///
  /// In the destination's join table, `own` becomes the master's own column, and `other` becomes the
  /// other column.
  struct Pairs {
    let table: String
    let isJoinTable: Bool
    let keyStart: String?
    let own: String
    let other: String
    let ownOrder: String?
    let otherOrder: String?

    var reversed: Pairs {
      Pairs(
        table: table,
        isJoinTable: isJoinTable,
        keyStart: keyStart,
        own: other,
        other: own,
        ownOrder: otherOrder,
        otherOrder: ownOrder
      )
    }
  }

  private var orders: [(name: String, former: String?, list: String, item: String)] {
    guard let source else { return [] }
    let isReflexive = destination.master == destination.slave
    let slave = isReflexive ? nil : destination.slave.orderColumn
    return [
      slave.map { ($0, source.otherOrder, source.other, source.own) },
      destination.master.orderColumn.map { ($0, source.ownOrder, source.own, source.other) },
    ].compactMap { $0 }
  }

  func copy(from name: String) -> String? {
    guard let source else { return nil }
    let orders = self.orders
    let values = orders.map { order in
      order.former ?? newPlace(of: order.item, in: order.list)
    }
    let names = [destination.master.ownColumn, destination.master.otherColumn] + orders.map(\.name)
    let list = ([source.own, source.other] + values).joined(separator: ", ")
    let condition =
      source.isJoinTable ? "" : " WHERE \(source.own) IS NOT NULL AND \(source.other) IS NOT NULL"
    return "INSERT INTO \(destination.name) (\(names.joined(separator: ", ")))"
      + " SELECT \(list) FROM \(name)\(condition)"
  }

  private func newPlace(of item: String, in list: String) -> String {
    guard placesNewOrders || source?.isJoinTable == false else { return "NULL" }
    return "1024 + 1024 * row_number() OVER (PARTITION BY \(list) ORDER BY \(item))"
  }

  /// Whether adding and renaming columns is sufficient: no order column is dropped, no names
  /// collide, and the primary key starts with the same side as before.
  ///
  /// A primary key that starts with the other side has no index for lookups by the new master's
  /// key.
  var canBeAltered: Bool {
    guard let source, source.isJoinTable, source.keyStart.map({ $0 == source.own }) ?? true else {
      return false
    }
    let formers = [source.otherOrder, source.ownOrder].compactMap { $0 }
    let names = renames.map(\.to) + additions
    let stay = Set(renames.map(\.from))
    return formers.count == orders.count { $0.former != nil }
      && (additions.isEmpty || !placesNewOrders && stay.isDisjoint(with: additions))
      && renames.allSatisfy { $0.from == $0.to || !stay.contains($0.to) }
      && Set(names).count == names.count
  }

  private var renames: [(from: String, to: String)] {
    guard let source else { return [] }
    return [
      (source.own, destination.master.ownColumn), (source.other, destination.master.otherColumn),
    ]
      + orders.compactMap { order in order.former.map { ($0, order.name) } }
  }

  private var additions: [String] { orders.filter { $0.former == nil }.map(\.name) }

  var alterations: [String] {
    renames.filter { $0.from != $0.to }.map {
      "ALTER TABLE \(destination.name) RENAME COLUMN \($0.from) TO \($0.to)"
    } + additions.map { "ALTER TABLE \(destination.name) ADD COLUMN \($0) INTEGER" }
  }
}

extension TableMappings {
  var joinTables: [JoinTableMapping] {
    destination.joinTables.map { table in
      let pairs =
        pairs(of: table.master) ?? pairs(of: table.slave).map(\.reversed)
      return JoinTableMapping(destination: table, source: pairs, placesNewOrders: placesNewOrders)
    }
  }

  private func pairs(of side: JoinTable.Side) -> JoinTableMapping.Pairs? {
    guard let mapping = mapping.mapping(to: side.entity), let entity = mapping.source,
      let former = mapping.relationships.first(where: { $0.destination.name == side.relationship })?
        .source,
      let storage = source.storage(of: former.name, in: entity),
      let own = source.table(of: entity)?.name
    else { return nil }
    switch storage {
    case .join(let name, let side):
      let table = source.joinTables.first { $0.name == name }
      let other = table.flatMap { $0.master == side ? $0.slave : $0.master }
      return JoinTableMapping.Pairs(
        table: name,
        isJoinTable: true,
        keyStart: table?.hasKey == true ? table?.master.ownColumn : nil,
        own: side.ownColumn,
        other: side.otherColumn,
        ownOrder: side.orderColumn,
        otherOrder: other == side ? nil : other?.orderColumn
      )
    case .foreignKey(let column, _, let order):
      return JoinTableMapping.Pairs(
        table: own,
        isJoinTable: false,
        keyStart: nil,
        own: "Z_PK",
        other: column,
        ownOrder: nil,
        otherOrder: order
      )
    case .inverseForeignKey(let table, let column, let order):
      return JoinTableMapping.Pairs(
        table: table,
        isJoinTable: false,
        keyStart: nil,
        own: column,
        other: "Z_PK",
        ownOrder: order,
        otherOrder: nil
      )
    }
  }
}
