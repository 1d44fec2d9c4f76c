import SQLite

/// A table, index, trigger or view of a file, as `sqlite_master` lists it.
struct SchemaObject: Hashable {
  /// Far above any real schema; a hostile one is not worth comparing.
  private static let most = 20_000

  let kind: LayoutEntry.Kind
  let name: String
  let table: String
  let sql: String

  /// The objects in the order of the file, without those that SQLite makes by itself.
  ///
  /// Throws a ``PersistentStoreError`` where there are absurdly many.
  static func all(of connection: Connection, path: String) throws -> [SchemaObject] {
    let row = try connection.prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_master "
        + "WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    )
    var objects: [SchemaObject] = []
    while try row.step() {
      guard objects.count < most else {
        throw PersistentStoreError.damaged(
          path: path,
          reason: "its schema has more than \(most) entries"
        )
      }
      guard let kind = LayoutEntry.Kind(rawValue: row.text(at: 0)) else { continue }
      objects.append(
        SchemaObject(
          kind: kind,
          name: row.text(at: 1),
          table: row.text(at: 2),
          sql: row.text(at: 3)
        )
      )
    }
    return objects
  }
}
