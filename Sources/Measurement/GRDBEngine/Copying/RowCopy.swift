import DataModel
import GRDB
import PersistentStore
import SQLite

/// Copies all objects of a store into a new store of another model, row by row through GRDB.
///
/// Two passes, as with an object graph: rows first, under keys of their own, then relationships by
/// a map from old keys to new ones. It is what an app would write that has GRDB and no migration of
/// the frameworks; records of a fixed type cannot be written for any model, so rows it is.
package struct RowCopy {
  package let mapping: MappingModel
  package let source: StoreLayout
  package let destination: StoreLayout
  /// Rows a transaction; 0 writes all in one.
  package let batchSize: Int

  package init(
    mapping: MappingModel,
    source: StoreLayout,
    destination: StoreLayout,
    batchSize: Int
  ) {
    self.mapping = mapping
    self.source = source
    self.destination = destination
    self.batchSize = batchSize
  }

  /// Copies from one file into another, an empty store of the destination's model; external files
  /// are the caller's to copy.
  ///
  /// - Returns: The number of objects.
  /// - Throws: ``RowCopyError``, or GRDB's `DatabaseError`.
  package func run(
    from old: StoreFile,
    to new: StoreFile,
    identifiers: IdentifierMap,
    settings: ConnectionSettings
  ) throws -> Int {
    let plans = try self.plans()
    let reader = try Self.open(old, settings, isReadOnly: true)
    let writer = RowWriter(
      queue: try Self.open(new, settings, isReadOnly: false),
      batchSize: batchSize
    )
    let count = try reader.read { old in
      var keys = NewKeys(identifiers)
      for plan in plans { try copyRows(plan, from: old, to: writer, &keys) }
      for plan in plans { try relate(plan, from: old, to: writer, keys) }
      for table in destination.joinTables { try copyPairs(table, from: old, to: writer, keys) }
      try recordKeys(keys, to: writer)
      return keys.count
    }
    try writer.finish()
    try writer.close()
    return count
  }

  /// - Throws: ``RowCopyError`` where rows cannot be copied one to one, before anything is opened.
  package func check() throws {
    _ = try plans()
    for table in destination.joinTables { _ = try PairRowPlan(table, self) }
  }

  private func plans() throws -> [EntityRowPlan] {
    try mapping.entities.compactMap { try EntityRowPlan($0, self) }
  }

  private static func open(
    _ file: StoreFile,
    _ settings: ConnectionSettings,
    isReadOnly: Bool
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.prepareDatabase { database in
      for (name, value) in settings.pragmas
      where !isReadOnly || !["page_size", "auto_vacuum", "journal_mode"].contains(name) {
        try database.execute(sql: "PRAGMA \(name)=\(value)")
      }
    }
    return try DatabaseQueue(path: file.path, configuration: configuration)
  }

  private func copyRows(
    _ plan: EntityRowPlan,
    from old: Database,
    to writer: RowWriter,
    _ keys: inout NewKeys
  ) throws {
    let rows = try Row.fetchCursor(old, sql: plan.select)
    while let row = try rows.next() {
      let key = try keys.add(row[0], from: plan)
      var values: [any DatabaseValueConvertible] = [key, plan.number, 1]
      for (index, fallback) in plan.fallbacks.enumerated() {
        let value: DatabaseValue = row[index + 1]
        values.append(value.isNull ? fallback : value)
      }
      try writer.run(plan.insert, values + plan.constants)
    }
  }

  private func relate(
    _ plan: EntityRowPlan,
    from old: Database,
    to writer: RowWriter,
    _ keys: NewKeys
  ) throws {
    guard !plan.links.isEmpty else { return }
    let rows = try Row.fetchCursor(old, sql: plan.selectLinks)
    while let row = try rows.next() {
      var values: [any DatabaseValueConvertible] = []
      var column = 1
      for link in plan.links {
        let target = try (row[column] as Int64?).flatMap {
          try keys.identity(of: $0, in: link.table)
        }
        values.append(target?.key.databaseValue ?? .null)
        if link.hasEntity { values.append(target?.entity.databaseValue ?? .null) }
        column += 1
        guard link.hasOrder else { continue }
        values.append(target == nil ? .null : row[column] as DatabaseValue)
        column += 1
      }
      guard let key = try keys.identity(of: row[0], in: plan.table)?.key else { continue }
      try writer.run(plan.update, values + [key])
    }
  }

  private func copyPairs(
    _ table: JoinTable,
    from old: Database,
    to writer: RowWriter,
    _ keys: NewKeys
  ) throws {
    guard let plan = try PairRowPlan(table, self) else { return }
    let rows = try Row.fetchCursor(old, sql: plan.select)
    while let row = try rows.next() {
      guard let own = try keys.identity(of: row[0], in: plan.ownTable),
        let other = try keys.identity(of: row[1], in: plan.otherTable)
      else { continue }
      let orders = (2..<row.count).map { row[$0] as DatabaseValue }
      try writer.run(plan.insert, [own.key, other.key] + orders)
    }
  }

  private func recordKeys(_ keys: NewKeys, to writer: RowWriter) throws {
    for (root, last) in keys.last.sorted(by: { $0.key < $1.key }) {
      try writer.run(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
        [last, destination.numbers[root] ?? 0]
      )
    }
  }
}

/// Why rows cannot be copied one to one.
package enum RowCopyError: Error, Equatable, CustomStringConvertible {
  case otherStorage(entity: String, relationship: String)

  package var description: String {
    switch self {
    case .otherStorage(let entity, let relationship):
      "\(entity): '\(relationship)' is kept another way in the new model, which a copy of rows "
        + "cannot follow; use the engine 'objectGraph'"
    }
  }
}
