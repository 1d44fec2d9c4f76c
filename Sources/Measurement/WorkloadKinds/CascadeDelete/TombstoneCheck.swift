import DataModel
import PersistentStore
import SQLite

/// Compares the values in new tombstones with those that the objects had.
struct TombstoneCheck {
  let layout: StoreLayout
  let start: StoreFile
  let end: StoreFile

  /// One sentence for each of the first tombstones that differ.
  func problems() throws -> [String] {
    var found = Findings<String>(limit: 5)
    let before = try start.plainConnection()
    let after = try end.plainConnection()
    let last = try before.integer("SELECT max(Z_PK) FROM ACHANGE") ?? 0
    let columns = (0..<layout.tombstoneCount).map { ", ZTOMBSTONE\($0)" }.joined()
    let change = try after.prepare(
      "SELECT ZENTITY, ZENTITYPK\(columns) FROM ACHANGE WHERE ZCHANGETYPE = 2 AND Z_PK > ?"
        + " ORDER BY Z_PK"
    )
    change.bind(last, at: 1)
    while try change.step() {
      let key = change.integer(at: 1)
      guard let entity = layout.numbers.entity(Int(truncatingIfNeeded: change.integer(at: 0))),
        let row = try preserved(of: entity, before)
      else { continue }
      row.reset()
      row.bind(key, at: 1)
      guard try row.step() else { continue }
      for index in 0..<layout.tombstoneCount {
        let expected = index < row.columnCount ? row.value(at: index) : .null
        let value = change.value(at: 2 + index)
        if value != expected {
          found.add("tombstone \(index) of \(entity.name) \(key) is \(value), not \(expected)")
        }
      }
      row.reset()
    }
    return found.sentences
  }

  /// The query for the preserved values of an entity's object; `nil` where nothing is preserved.
  private func preserved(of entity: Entity, _ connection: Connection) throws -> Statement? {
    let columns = SystemTables.preservedAttributes(of: entity, in: layout.model).compactMap {
      layout.column(of: $0.name, in: entity.name)?.name
    }
    guard !columns.isEmpty, let table = layout.table(of: entity.name)?.name else { return nil }
    return try connection.cached(
      "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE Z_PK = ?"
    )
  }
}
