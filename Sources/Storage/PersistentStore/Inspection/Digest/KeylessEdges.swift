import DataModel

/// What leads from the objects of one table to those of another.
struct KeylessEdges {
  /// The places of the two tables in the layout.
  let source: Int
  let target: Int
  /// Names the relationship.
  let shape: ObjectDigest.Shape
  /// Gives the two keys, then the position on each side.
  ///
  /// The number of the target's entity is left out: the target's own digest says what it is.
  let sql: String

  /// Every relationship that a layout keeps.
  static func all(in layout: StoreLayout) -> [KeylessEdges] {
    let places = Dictionary(
      layout.tables.enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    func place(of entity: String) -> Int? { layout.table(of: entity).flatMap { places[$0.name] } }
    let keys = layout.tables.enumerated().flatMap { source, table in
      table.columns.compactMap { edges(from: source, table, along: $0, place: place) }
    }
    return keys + layout.joinTables.compactMap { edges(in: $0, place: place) }
  }

  private static func edges(
    from source: Int,
    _ table: EntityTable,
    along column: Column,
    place: (String) -> Int?
  ) -> KeylessEdges? {
    let destination: String
    var position = "NULL"
    switch column.content {
    case .foreignKey(let relationship):
      destination = relationship.destination
      let order = table.column(of: column.entity) { $0 == .orderKey(relationship) }
      if let order {
        position =
          "row_number() OVER (PARTITION BY \(column.name.quotedColumn) "
          + "ORDER BY \(order.name.quotedColumn), t.Z_PK)"
      }
    case .inverselessKey(_, let declaring): destination = declaring
    default: return nil
    }
    return place(destination).map { target in
      KeylessEdges(
        source: source,
        target: target,
        shape: ObjectDigest.Shape(
          entity: "\(column.entity).\(destination).\(column.property)",
          properties: []
        ),
        sql: "SELECT t.Z_PK, \(column.name.quotedColumn), \(position), NULL "
          + "FROM \(table.name.quotedName) AS t NOT INDEXED "
          + "WHERE \(column.name.quotedColumn) IS NOT NULL"
      )
    }
  }

  private static func edges(in table: JoinTable, place: (String) -> Int?) -> KeylessEdges? {
    let first = table.firstSide
    let second = first == table.master ? table.slave : table.master
    guard let source = place(first.entity), let target = place(second.entity) else { return nil }
    return KeylessEdges(
      source: source,
      target: target,
      shape: ObjectDigest.Shape(entity: first.name, properties: []),
      sql: PositionedPairs(table: table, first: first, order: .positions).sql
    )
  }
}
