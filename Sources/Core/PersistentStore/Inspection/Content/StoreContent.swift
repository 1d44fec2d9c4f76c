import Basics
import DataModel
import SQLite

/// The content of a store, read by SQL queries instead of an object context.
///
/// Objects are streamed, so that memory is bounded by the largest object. The store is opened
/// read-only, its schema is not trusted, and all reads happen in one transaction.
package final class StoreContent {
  package let store: StoreFile
  package let layout: StoreLayout
  /// A read-only connection in an open transaction, for a verification's own queries.
  package let connection: Connection
  let blobs: BlobContent
  private let shapes: [String: ContentShape]

  /// Opens a store that matches the layout; columns that are not in the layout are ignored.
  ///
  /// For attributes that contain paths of the app's own files, the content of the files is read.
  ///
  /// - Throws: ``Refusal`` if the file cannot be read, if it lacks tables or columns of the layout,
  ///   or if the layout differs from the one that verification derives.
  package init(
    store: StoreFile,
    layout: StoreLayout,
    pathAttributes: Set<PathAttribute> = []
  ) throws {
    self.store = store
    self.layout = layout
    blobs = BlobContent(folder: store.externalDataFolder)
    shapes = Dictionary(
      keepingFirst: layout.numbers.entities.compactMap { entity in
        ContentShape(entity: entity.name, layout: layout, pathAttributes: pathAttributes).map {
          (entity.name, $0)
        }
      }
    )
    connection = try Self.open(store)
    let differences = ConfirmedLayout(layout: layout).differences()
    guard differences.isEmpty else {
      throw Refusal.bug(
        "internal error: the layout was derived in two ways that differ: "
          + differences.prefix(3).joined(separator: "; ")
          + (differences.count > 3 ? "; and \(differences.count - 3) more" : "")
      )
    }
    try checkColumns()
  }

  static func open(_ store: StoreFile) throws -> Connection {
    guard store.exists else { throw Refusal.noInput("no such file: '\(store.path)'") }
    do {
      let connection = try Connection(path: store.path, mode: readingMode(of: store), settings: nil)
      try connection.checkCells()
      try connection.execute("PRAGMA mmap_size=0")
      try connection.execute("BEGIN")
      let encoding = try connection.text("PRAGMA encoding") ?? ""
      guard encoding == "UTF-8" else {
        throw Refusal.notUTF8(path: store.path, encoding: encoding)
      }
      return connection
    } catch let error as SQLiteError {
      throw Refusal.badInput("cannot read '\(store.path)': \(error)")
    }
  }

  // `restingMode` makes stores in WAL mode readable in a read-only folder. A store with a rollback
  // journal is opened in the mode in which SQLite respects the journal.
  private static func readingMode(of store: StoreFile) -> Connection.Mode {
    if StoreFile.bytes(at: store.journal) > 0 { return .readOnly }
    return store.restingMode
  }

  private func checkColumns() throws {
    for (table, columns) in layout.tableColumns {
      let present = Set(try connection.columnNames(of: table))
      guard !present.isEmpty else {
        throw Refusal.badInput(
          "cannot read '\(store.path)': it has no table '\(table)', so it does not "
            + "match the model"
        )
      }
      if let missing = columns.first(where: { !present.contains($0) }) {
        throw Refusal.badInput(
          "cannot read '\(store.path)': its table '\(table)' has no column "
            + "'\(missing)', so it does not match the model"
        )
      }
    }
  }

  /// Returns the properties of an entity's objects.
  package func shape(of entity: String) throws -> ContentShape {
    guard let shape = shapes[entity] else { throw Refusal.unknownEntity(entity) }
    return shape
  }

  /// Returns the table that contains an entity's objects.
  package func table(of entity: String) throws -> EntityTable {
    guard let table = layout.table(of: entity) else { throw Refusal.unknownEntity(entity) }
    return table
  }

  /// Returns every row of a table in key order, including rows with an invalid entity number.
  package func objects(in table: EntityTable) throws -> ContentCursor {
    try ContentCursor(self, table: table)
  }

  /// Returns the objects of an entity and its sub-entities, in key order.
  package func objects(of entity: String) throws -> ContentCursor {
    try ContentCursor(self, table: table(of: entity), condition: familyCondition(of: entity))
  }

  func familyCondition(of entity: String) throws -> String {
    _ = try table(of: entity)
    return "t.Z_ENT IN (\(layout.numberList(ofFamily: entity)))"
  }

  /// Returns the object with a key in a table, whatever its entity, if there is one.
  package func object(key: Int64, in table: EntityTable) throws -> ContentObject? {
    let cursor =
      try lookups[table.name] ?? ContentCursor(self, table: table, condition: "t.Z_PK = ?1")
    lookups[table.name] = cursor
    cursor.start(at: key)
    return try cursor.next()
  }

  private var lookups: [String: ContentCursor] = [:]
}

extension String {
  /// The name as a quoted SQL identifier.
  package var quotedName: String {
    "\""
      + split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }

  /// The quoted column name, qualified with the table alias `t`.
  ///
  /// SQLite would treat an unqualified quoted name as a string if there is no such column.
  package var quotedColumn: String { "t." + quotedName }
}
