import SQLite

/// The new identity of every copied object, by its table and key in the source.
///
/// The map is a temporary SQLite database with a limited page cache, so that memory stays bounded.
/// SQLite deletes the file with its connection.
package final class IdentifierMap {
  /// The page cache: 2 MB, enough for the entries of 100,000 objects.
  private static let cachePages = 500

  private struct Table {
    let insert: Statement
    let select: Statement
  }

  /// The map's connection; callers can read its counters.
  package let connection: Connection
  /// The number of identities in the map.
  package private(set) var count = 0
  private var tables: [String: Table] = [:]

  package init() throws {
    // An empty path creates a private temporary file (https://www.sqlite.org/inmemorydb.html).
    connection = try Connection(
      path: "",
      mode: .create,
      settings: ConnectionSettings(
        journalMode: .off,
        synchronous: .off,
        cachePages: Self.cachePages
      )
    )
    try connection.execute("BEGIN")
  }

  /// Records the identity of a copy; must be called only once per object.
  ///
  /// - Throws: ``SQLite/SQLiteError``, for example if the disk is full.
  package func note(_ identity: ObjectID, of key: Int64, in table: String) throws {
    let insert = try statements(table).insert
    insert.bind(key, at: 1)
    insert.bind(identity.key, at: 2)
    insert.bind(Int64(identity.entity), at: 3)
    try insert.run()
    count += 1
  }

  /// Returns the identity of an object's copy, or `nil` if it was not copied.
  package func identity(of key: Int64, in table: String) throws -> ObjectID? {
    let select = try statements(table).select
    defer { select.reset() }
    select.bind(key, at: 1)
    guard try select.step() else { return nil }
    return ObjectID(
      entity: Int(truncatingIfNeeded: select.integer(at: 1)),
      key: select.integer(at: 0)
    )
  }

  private func statements(_ table: String) throws -> Table {
    if let known = tables[table] { return known }
    let name = "identities\(tables.count)"
    try connection.execute(
      "CREATE TABLE \(name) (former INTEGER PRIMARY KEY, key INTEGER, entity INTEGER)"
    )
    let made = Table(
      insert: try connection.prepare("INSERT INTO \(name) VALUES (?, ?, ?)"),
      select: try connection.prepare("SELECT key, entity FROM \(name) WHERE former = ?")
    )
    tables[table] = made
    return made
  }
}
