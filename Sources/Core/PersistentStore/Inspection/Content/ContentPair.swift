import SQLite

/// A pair of objects related by a many-to-many relationship.
package struct ContentPair: Hashable, Sendable {
  /// The key of the object on the relationship's first side; `second` is the key on the other side.
  package var first: Int64
  package var second: Int64
  /// The position of the second object in the first object's ordered relationship.
  package var firstOrder: Int64?
  /// The position of the first object in the second object's ordered relationship.
  package var secondOrder: Int64?

  package init(first: Int64, second: Int64, firstOrder: Int64? = nil, secondOrder: Int64? = nil) {
    self.first = first
    self.second = second
    self.firstOrder = firstOrder
    self.secondOrder = secondOrder
  }

  static func precedes(_ one: ContentPair, _ other: ContentPair) -> Bool {
    (one.first, one.second) < (other.first, other.second)
  }

  var keys: String { "\(first), \(second)" }
  var orders: String {
    [firstOrder, secondOrder].map { $0.map { "\($0)" } ?? "NULL" }.joined(separator: "/")
  }
}

extension ContentPair {
  /// Iterates over the pairs of a many-to-many relationship, sorted by the first key, then the
  /// second.
  package final class Cursor {
    private let row: Statement

    init(_ row: Statement) {
      self.row = row
    }

    init(_ connection: Connection, table: JoinTable, first: JoinTable.Side) throws {
      let second = first == table.master ? table.slave : table.master
      let isReflexive = table.master == table.slave
      let orders = [first.orderColumn, isReflexive ? nil : second.orderColumn]
      let columns =
        [first.ownColumn, first.otherColumn].map(\.quotedColumn)
        + orders.map { $0?.quotedColumn ?? "NULL" }
      row = try connection.prepare(
        "SELECT \(columns.joined(separator: ", ")) FROM \(table.name.quotedName) AS t NOT INDEXED "
          + "ORDER BY 1, 2"
      )
    }

    /// Returns the next pair, or `nil` after the last.
    ///
    /// SQLite converts values that are not integers, usually to 0.
    package func next() throws -> ContentPair? {
      guard try row.step() else { return nil }
      return ContentPair(
        first: row.integer(at: 0),
        second: row.integer(at: 1),
        firstOrder: order(at: 2),
        secondOrder: order(at: 3)
      )
    }

    private func order(at column: Int) -> Int64? {
      row.isNull(at: column) ? nil : row.integer(at: column)
    }
  }
}

extension JoinTable {
  /// The relationship whose name, `ENTITY.RELATIONSHIP`, sorts first, whether or not it is the
  /// master.
  package var firstSide: Side {
    slave.name.utf8.lexicographicallyPrecedes(master.name.utf8) ? slave : master
  }

  /// Returns an original pair without the positions of relationships that are no longer ordered.
  func keepingOrders(of former: ContentPair) -> ContentPair {
    let second = firstSide == master ? slave : master
    var pair = former
    if firstSide.orderColumn == nil { pair.firstOrder = nil }
    if second.orderColumn == nil { pair.secondOrder = nil }
    return pair
  }
}

extension JoinTable.Side {
  /// The name in the form `ENTITY.RELATIONSHIP`.
  package var name: String { "\(entity).\(relationship)" }
}

extension StoreContent {
  /// Returns the pairs of a many-to-many relationship, sorted by the keys of its first side.
  package func pairs(in table: JoinTable) throws -> ContentPair.Cursor {
    try ContentPair.Cursor(connection, table: table, first: table.firstSide)
  }
}
