import Basics
import DataModel
import PersistentStore
import SQLite

/// Writes the persistent history of statements that change many rows at once.
///
/// Apple documents that batch requests are recorded. The rows written here have the same format as
/// the history rows of saves (coredata-format.md, section 11).
final class BatchHistory {
  private let store: PersistentStore
  private var transaction: Int64 = 0
  private var isWritten = false

  private var connection: Connection { store.connection }
  private var layout: StoreLayout { store.layout }

  /// Creates a writer for a store's history.
  ///
  /// - Returns: `nil` if the store keeps no history.
  init?(_ store: PersistentStore) {
    guard store.layout.keepsHistory else { return nil }
    self.store = store
  }

  /// Begins the history of one request.
  ///
  /// The transaction's row is written together with the first change.
  func begin() {
    isWritten = false
  }

  private func writeTransaction() throws {
    let bundle = try key(of: store.bundleIdentifier)
    let process = try key(of: store.processName)
    let insert = try connection.cached(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP)"
        + " VALUES (?, \(EntityNumbers.transaction), ?, ?, ?)"
    )
    insert.bind(transaction, at: 1)
    insert.bind(bundle, at: 2)
    insert.bind(process, at: 3)
    insert.bind(store.clock(), at: 4)
    try insert.run()
    _ = try reserve(1, of: EntityNumbers.transaction)
    isWritten = true
  }

  /// Reserves the given number of an entity's keys, and returns the highest key that was already
  /// reserved.
  private func reserve(_ count: Int, of number: Int) throws -> Int64 {
    let last = try maximum(of: number)
    let update = try connection.cached("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
    update.bind(last + Int64(count), at: 1)
    update.bind(Int64(number), at: 2)
    try update.run()
    return last
  }

  private func maximum(of number: Int) throws -> Int64 {
    try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)") ?? 0
  }

  private func key(of name: String) throws -> Int64 {
    let select = try connection.cached("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
    select.bind(name, at: 1)
    defer { select.reset() }
    if try select.step() { return select.integer(at: 0) }
    let key = try reserve(1, of: EntityNumbers.transactionString) + 1
    let insert = try connection.cached(
      "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME)"
        + " VALUES (?, \(EntityNumbers.transactionString), ?)"
    )
    insert.bind(key, at: 1)
    insert.bind(name, at: 2)
    try insert.run()
    return key
  }

  /// Records the deletion of the rows that meet a condition, with the values that the model
  /// preserves (tombstones).
  func recordDeletions(from table: String, where condition: String) throws {
    let tombstones = (0..<layout.tombstoneCount).map { (name: "ZTOMBSTONE\($0)", index: $0) }
    let names = tombstones.map { ", \($0.name)" }.joined()
    let values = tombstones.map { ", " + tombstone($0.index, in: table) }.joined()
    try record(2, table, "ZCOLUMNS\(names)", "NULL\(values)", condition)
  }

  func recordUpdates(of columns: [String], in table: String, where condition: String) throws {
    try record(1, table, "ZCOLUMNS", changedColumns(columns, in: table), condition)
  }

  private func record(
    _ kind: Int,
    _ table: String,
    _ columns: String,
    _ values: String,
    _ condition: String
  ) throws {
    let last = try maximum(of: EntityNumbers.change)
    if !isWritten { transaction = try maximum(of: EntityNumbers.transaction) + 1 }
    let insert = try connection.cached(
      "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, \(columns))"
        + " SELECT ? + row_number() OVER (ORDER BY Z_PK), \(EntityNumbers.change), \(kind), Z_ENT,"
        + " Z_PK, ?, \(values) FROM \(table) WHERE \(condition)"
    )
    insert.bind(last, at: 1)
    insert.bind(transaction, at: 2)
    try insert.run()
    let count = connection.changes
    guard count > 0 else { return }
    _ = try reserve(count, of: EntityNumbers.change)
    if !isWritten { try writeTransaction() }
  }

  /// The SQL expression for a preserved attribute's value, which depends on the row's entity.
  private func tombstone(_ index: Int, in table: String) -> String {
    let entities = layout.tables.first { $0.name == table }?.entities ?? []
    let cases = entities.compactMap { name -> String? in
      guard let entity = layout.model.entity(named: name), let number = layout.numbers[name] else {
        return nil
      }
      let preserved = SystemTables.preservedAttributes(of: entity, in: layout.model)
      guard preserved.indices.contains(index),
        let column = layout.column(of: preserved[index].name, in: name)
      else { return nil }
      return " WHEN \(number) THEN \(column.name)"
    }
    return cases.isEmpty ? "NULL" : "CASE Z_ENT\(cases.joined()) END"
  }

  /// The SQL expression for the bitmap of changed columns, which depends on the row's entity.
  private func changedColumns(_ names: [String], in table: String) -> String {
    guard let table = layout.tables.first(where: { $0.name == table }) else { return "NULL" }
    let cases = table.entities.compactMap { name -> String? in
      guard let entity = layout.model.entity(named: name), let number = layout.numbers[name] else {
        return nil
      }
      let lineage = Set(layout.model.lineage(of: entity).map(\.name))
      let columns = table.columns.filter { lineage.contains($0.entity) }
      let places = columns.indices.filter { names.contains(columns[$0].name) }
      guard !places.isEmpty else { return nil }
      let properties = Set(places.map { columns[$0].property })
      let toManys = layout.model.relationships(of: entity).filter {
        $0.isToMany && !$0.isTransient
      }
      let bitmap = ChangeBitmap(columns: columns, toManys: toManys.map(\.name))
      let changed = columns.indices.filter {
        guard case .foreignEntity = columns[$0].content else { return places.contains($0) }
        return properties.contains(columns[$0].property)
      }
      return " WHEN \(number) THEN x'\(bitmap.bytes(changed).hexadecimal)'"
    }
    return cases.isEmpty ? "NULL" : "CASE Z_ENT\(cases.joined()) END"
  }
}
