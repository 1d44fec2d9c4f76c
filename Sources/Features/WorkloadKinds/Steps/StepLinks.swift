import DataModel
import PersistentStore
import Runner
import SQLite

/// Sets relationships in the expected copy of the store, and finds the rows whose versions a save
/// increments.
struct StepLinks {
  /// An ordered to-many relationship to which an object was added; a save renumbers its objects.
  private struct Order: Hashable {
    /// The table of the objects, or of the pairs of a many-to-many relationship.
    let table: String
    var isJoin = false
    let column: String
    let order: String
    let holder: Int64
  }

  private let expected: ExpectedStore
  private var orders: Set<Order> = []

  private var layout: StoreLayout { expected.layout }

  init(_ expected: ExpectedStore) { self.expected = expected }

  /// Sets a relationship of an object.
  ///
  /// - Returns: The rows whose versions a save increments, with their tables; empty if the
  ///   relationship already had the given target.
  mutating func lead(
    _ link: StepOperation.Link,
    of key: Int64,
    in names: EntityNames,
    isNew: Bool
  ) throws -> [(table: String, key: Int64)] {
    let own = (table: names.table, key: key)
    switch layout.storage(of: link.relationship, in: names.entity) {
    case .foreignKey(let column, let number, let order)?:
      let columns = [column] + [number].compactMap(\.self)
      let row = try expected.read(
        "SELECT \(columns.joined(separator: ", ")) FROM \(names.table) WHERE Z_PK = ?1",
        .integer(key)
      ).first
      let values = Array(link.values.prefix(columns.count))
      guard let row, row != values else { return [] }
      let sets =
        columns.enumerated().map { "\($1) = ?\($0 + 2)" }
        + [order].compactMap(\.self).map { order in
          "\(order) = (SELECT ifnull(max(\(order)), 1024) + 1024 FROM \(names.table) WHERE \(column) "
            + "= ?2)"
        }
      try expected.change(
        "UPDATE \(names.table) SET \(sets.joined(separator: ", ")) WHERE Z_PK = ?1",
        [.integer(key)] + values
      )
      var changed = isNew ? [] : [own]
      changed += try pair(link, of: key, former: row[0].integer, columns, names)
      guard let order else { return changed }
      if let holder = link.key {
        orders.insert(Order(table: names.table, column: column, order: order, holder: holder))
      } else {
        try expected.change(
          "UPDATE \(names.table) SET \(order) = NULL WHERE Z_PK = ?1",
          .integer(key)
        )
      }
      let holders = [row[0].integer, link.key].compactMap(\.self)
      if let table = try target(of: link, names) { changed += holders.map { (table, $0) } }
      return changed
    case .join(let table, let side)?:
      guard let target = link.key else { return [] }
      let pair = "\(side.ownColumn) = ?1 AND \(side.otherColumn) = ?2"
      let known = try expected.read(
        "SELECT 1 FROM \(table) WHERE \(pair)",
        .integer(key),
        .integer(target)
      )
      guard known.isEmpty else { return [] }
      let other = try relationship(link, names).flatMap { relationship in
        layout.model.inverse(of: relationship).flatMap {
          layout.storage(of: $0.name, in: relationship.destination)
        }
      }
      var columns = [side.ownColumn, side.otherColumn]
      var values = ["?1", "?2"]
      func append(_ order: String?, by column: String, _ holder: Int64) {
        guard let order else { return }
        columns.append(order)
        // Place the new pair last, at the largest position; the next save renumbers the positions.
        values.append("\(Int64.max)")
        orders.insert(
          Order(table: table, isJoin: true, column: column, order: order, holder: holder)
        )
      }
      append(side.orderColumn, by: side.ownColumn, key)
      if case .join(_, let back)? = other, back.orderColumn != side.orderColumn {
        append(back.orderColumn, by: side.otherColumn, target)
      }
      try expected.change(
        "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES "
          + "(\(values.joined(separator: ", ")))",
        .integer(key),
        .integer(target)
      )
      return (isNew ? [] : [own])
        + [try self.target(of: link, names)].compactMap(\.self).map { ($0, target) }
    case .inverseForeignKey?, nil: return []
    }
  }

  /// The keys of the objects in a to-many relationship, sorted if the relationship is ordered.
  func partners(
    of key: Int64,
    by relationship: Relationship,
    in names: EntityNames
  ) throws -> [Int64] {
    let sql = try layout.targetQuery(of: relationship.name, in: names.entity)
    return try expected.read(sql, .integer(key)).compactMap { $0[0].integer }
  }

  /// Removes objects from a to-many relationship.
  ///
  /// If it is ordered, the remaining objects keep their positions.
  ///
  /// - Returns: The rows whose versions a save increments, with their tables.
  mutating func take(
    _ loss: StepOperation.Loss,
    from key: Int64,
    in names: EntityNames
  ) throws -> [(table: String, key: Int64)] {
    let partners = try EntityNames(loss.relationship.destination, in: layout)
    var changed: [(table: String, key: Int64)] = []
    guard
      case .join(let table, let side)? = layout.storage(
        of: loss.relationship.name,
        in: names.entity
      )
    else {
      let link = StepOperation.Link(
        relationship: loss.relationship.inverse ?? "",
        key: nil,
        entity: names.number
      )
      for partner in loss.keys {
        changed += try lead(link, of: partner, in: partners, isNew: false)
      }
      return changed
    }
    changed.append((names.table, key))
    for partner in loss.keys {
      try expected.change(
        "DELETE FROM \(table) WHERE \(side.ownColumn) = ?1 AND \(side.otherColumn) = ?2",
        .integer(key),
        .integer(partner)
      )
      changed.append((partners.table, partner))
    }
    return changed
  }

  /// Sets the inverse side of a one-to-one relationship; the previous partners lose their
  /// references.
  ///
  /// - Returns: The rows that changed, with their tables; empty for other relationships.
  private func pair(
    _ link: StepOperation.Link,
    of key: Int64,
    former: Int64?,
    _ columns: [String],
    _ names: EntityNames
  ) throws -> [(table: String, key: Int64)] {
    guard let relationship = try relationship(link, names),
      let inverse = layout.model.inverse(of: relationship),
      case .foreignKey(let back, let backNumber, _)? =
        layout.storage(of: inverse.name, in: relationship.destination), !inverse.isToMany,
      let table = layout.table(of: relationship.destination)?.name
    else { return [] }
    let backColumns = [back] + [backNumber].compactMap(\.self)
    var rows: [(table: String, key: Int64)] = []
    func empty(_ key: Int64, _ table: String, _ columns: [String]) throws {
      let sets = columns.map { "\($0) = NULL" }.joined(separator: ", ")
      try expected.change("UPDATE \(table) SET \(sets) WHERE Z_PK = ?1", .integer(key))
      rows.append((table, key))
    }
    if let former { try empty(former, table, backColumns) }
    guard let target = link.key else { return rows }
    let other = try expected.read("SELECT \(back) FROM \(table) WHERE Z_PK = ?1", .integer(target))
    if let other = other.first?[0].integer, other != key {
      try empty(other, names.table, columns)
    }
    let values = ["?1", "(SELECT Z_ENT FROM \(names.table) WHERE Z_PK = ?1)"]
    let pairs = zip(backColumns, values).map { "\($0) = \($1)" }
    try expected.change(
      "UPDATE \(table) SET \(pairs.joined(separator: ", ")) WHERE Z_PK = ?2",
      .integer(key),
      .integer(target)
    )
    return rows + [(table, target)]
  }

  private func relationship(
    _ link: StepOperation.Link,
    _ names: EntityNames
  ) throws -> Relationship? {
    guard let entity = layout.model.entity(named: names.entity) else { return nil }
    return try layout.model.storedRelationship(link.relationship, of: entity)
  }

  private func target(of link: StepOperation.Link, _ names: EntityNames) throws -> String? {
    try relationship(link, names).flatMap { layout.table(of: $0.destination)?.name }
  }

  /// Renumbers the objects of ordered relationships to which objects were added, as the object
  /// context does before a save.
  ///
  /// - Returns: The rows whose positions changed.
  mutating func number() throws -> [(table: String, key: Int64)] {
    defer { orders = [] }
    return try orders.flatMap { order in
      let rows = try expected.read(
        "SELECT rowid, \(order.order) FROM \(order.table) WHERE \(order.column) = ?1 "
          + "ORDER BY \(order.order), rowid",
        .integer(order.holder)
      )
      return try rows.enumerated().compactMap { index, row -> (table: String, key: Int64)? in
        let place = Value.integer(Int64(2048 + 1024 * index))
        guard let key = row[0].integer, row[1] != place else { return nil }
        try expected.change(
          "UPDATE \(order.table) SET \(order.order) = ?1 WHERE rowid = ?2",
          place,
          .integer(key)
        )
        return order.isJoin ? nil : (order.table, key)
      }
    }
  }
}
