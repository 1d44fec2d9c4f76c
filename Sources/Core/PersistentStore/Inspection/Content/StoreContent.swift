import Basics
import DataModel
import SQLite

/// What a store holds, read by plain SQL and never through an object context.
///
/// Streams object by object; memory is bounded by the largest object. The store is opened for
/// reading only, its schema is not trusted, and everything is read in one transaction.
package final class StoreContent {
  package let store: StoreFile
  package let layout: StoreLayout
  /// For queries of a verification's own; in one transaction, for reading only.
  package let connection: Connection
  let blobs: BlobContent
  private let shapes: [String: ContentShape]

  /// Opens a store that the layout fits; columns that the layout does not know are skipped.
  ///
  /// The files that path attributes name are read as the attributes' content.
  ///
  /// - Throws: ``Refusal`` where the file cannot be read, has not the layout's tables and
  ///   columns, or where the layout is not the one that verification derives itself.
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

  // A store in WAL mode could otherwise not be read in a read-only folder. A journal is left to
  // SQLite, to be rolled back.
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

  /// The properties of an entity's objects.
  package func shape(of entity: String) throws -> ContentShape {
    guard let shape = shapes[entity] else { throw Refusal.unknownEntity(entity) }
    return shape
  }

  /// The table that holds an entity's objects.
  package func table(of entity: String) throws -> EntityTable {
    guard let table = layout.table(of: entity) else { throw Refusal.unknownEntity(entity) }
    return table
  }

  /// Every row of a table in key order, those of no entity of the table among them.
  package func objects(in table: EntityTable) throws -> ContentCursor {
    try ContentCursor(self, table: table)
  }

  /// An entity's objects, those of its sub-entities among them, in key order.
  package func objects(of entity: String) throws -> ContentCursor {
    try ContentCursor(self, table: table(of: entity), condition: familyCondition(of: entity))
  }

  func familyCondition(of entity: String) throws -> String {
    _ = try table(of: entity)
    return "t.Z_ENT IN (\(layout.numberList(ofFamily: entity)))"
  }

  /// The object under a key of a table, of whatever entity; `nil` where there is none.
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
  /// The name between quotes, for SQL.
  package var quotedName: String {
    "\""
      + split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }

  /// The column of that name of the table `t`: qualified, since SQLite takes a quoted name that no
  /// column has for a text.
  package var quotedColumn: String { "t." + quotedName }
}
