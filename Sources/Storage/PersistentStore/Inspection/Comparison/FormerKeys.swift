import SQLite

/// The pairs of a many-to-many relationship that was a to-one, or a to-many of its inverse, before.
///
/// Where one of its sides has become ordered, its objects are in the order of their keys, at 2048
/// and then 1024 more each.
struct FormerKeys {
  /// The former entities of the pairs' first and second objects.
  let first: String
  let second: String
  /// Reads the pairs, by the first key and then the second, with their order keys.
  let sql: String

  /// - Returns: `nil` where neither side was kept as a key before.
  init?(of table: JoinTable, origin: Origin, layout: StoreLayout) {
    let first = table.firstSide
    let second = first == table.master ? table.slave : table.master
    guard let formerFirst = origin.entity(first.entity),
      let formerSecond = origin.entity(second.entity)
    else { return nil }
    let keys: Keys
    if let own = Keys(of: first, origin: origin, layout: layout) {
      keys = own
    } else if let other = Keys(of: second, origin: origin, layout: layout) {
      keys = other.reversed
    } else {
      return nil
    }
    self.first = formerFirst
    self.second = formerSecond
    let (left, right) = (keys.own.quotedColumn, keys.other.quotedColumn)
    let orders = [
      Self.order(keys.ownOrder, isKept: first.orderColumn != nil, of: right, in: left),
      Self.order(keys.otherOrder, isKept: second.orderColumn != nil, of: left, in: right),
    ]
    sql =
      "SELECT \(left), \(right), \(orders.joined(separator: ", ")) FROM \(keys.table.quotedName) "
      + "AS t NOT INDEXED WHERE \(left) IS NOT NULL AND \(right) IS NOT NULL ORDER BY 1, 2"
  }

  private static func order(
    _ column: String?,
    isKept: Bool,
    of item: String,
    in list: String
  ) -> String {
    guard isKept else { return "NULL" }
    return column?.quotedColumn
      ?? "1024 + 1024 * row_number() OVER (PARTITION BY \(list) ORDER BY \(item))"
  }

  /// The columns that hold the pairs, seen from one side.
  struct Keys {
    var table: String
    var own: String
    var other: String
    var ownOrder: String?
    var otherOrder: String?

    var reversed: Keys {
      Keys(table: table, own: other, other: own, ownOrder: otherOrder, otherOrder: ownOrder)
    }
  }
}

extension FormerKeys.Keys {
  init?(of side: JoinTable.Side, origin: Origin, layout: StoreLayout) {
    guard let entity = origin.entity(side.entity),
      let name = origin.property(side.relationship, of: side.entity),
      let table = layout.table(of: entity)?.name
    else { return nil }
    switch layout.storage(of: name, in: entity) {
    case .foreignKey(let column, _, let order):
      self.init(table: table, own: "Z_PK", other: column, ownOrder: nil, otherOrder: order)
    case .inverseForeignKey(let table, let column, let order):
      self.init(table: table, own: column, other: "Z_PK", ownOrder: order, otherOrder: nil)
    case .join, nil: return nil
    }
  }
}
