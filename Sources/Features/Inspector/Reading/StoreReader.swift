import Basics
import DataModel
import PersistentStore
import SQLite

/// A store that is read without creating, changing or removing any file in its folder.
///
/// If there is a -wal file, the connection keeps the WAL's index in memory: no -shm file is
/// created, and nothing is copied. Without a -wal file, only the main file is read. The schema is
/// not trusted, and limits on value sizes and work apply to every file.
package final class StoreReader {
  package let store: StoreFile
  package let connection: Connection
  package let header: FileHeader
  package let wal: WriteAheadLog?
  package let schema: SchemaContents
  /// The reason why the -wal file was ignored; `nil` if it was not.
  package let walProblem: String?
  let budget: WorkBudget

  /// The maximum size in bytes of a value that is read; larger values are counted and skipped.
  static let largestValue: Int32 = 16 << 20

  /// Opens a store.
  ///
  /// - Throws: ``PersistentStoreError`` or ``Refusal`` with the reason why it cannot be read.
  package init(_ store: StoreFile) throws {
    self.store = store
    var header = try FileHeader(of: store)
    let wal = WriteAheadLog(of: store)
    self.wal = wal
    let opened = try Self.open(store, wal: wal)
    connection = opened.connection
    walProblem = opened.problem
    let pages = Int(store.storeBytes + store.walBytes) / 512
    budget = WorkBudget(connection, pages: pages)
    do {
      try header.refine(by: connection, of: store)
      schema = try SchemaContents(connection)
    } catch let error as SQLiteError {
      throw Self.refusal(error, of: store)
    }
    self.header = header
    for table in ["Z_PRIMARYKEY", "Z_METADATA"] where !schema.has(table) {
      throw PersistentStoreError.notCoreData(path: store.path, missing: "table \(table)")
    }
  }

  private static func open(
    _ store: StoreFile,
    wal: WriteAheadLog?
  ) throws -> (connection: Connection, problem: String?) {
    guard let wal else { return (try connect(store, .immutable), nil) }
    guard wal.isReadable else {
      return (try connect(store, .immutable), "its header is not a WAL header, or it is damaged")
    }
    do {
      return (try connect(store, .detached), nil)
    } catch let error as PersistentStoreError {
      // Ignore the WAL if only the main file can be read, because a WAL that belongs to another
      // file makes a valid store unreadable.
      guard let connection = try? connect(store, .immutable) else { throw error }
      return (connection, "the store cannot be read with it")
    }
  }

  private static func connect(_ store: StoreFile, _ mode: Connection.Mode) throws -> Connection {
    do {
      let connection = try Connection(path: store.path, mode: mode, settings: nil)
      let computed = try connection.computedColumns()
      // Reject computed columns only in tables that are read before the file has been checked;
      // computed columns of other tables are listed but not read.
      if let first = computed.first(where: { $0.hasPrefix("Z_") || $0.hasPrefix("sqlite_stat") }) {
        throw PersistentStoreError.damaged(
          path: store.path,
          reason: "it has the computed column \(first), which the frameworks never make"
        )
      }
      try connection.checkCells()
      connection.limit(.valueBytes, to: largestValue)
      connection.limit(.statementBytes, to: 4 << 20)
      // Limit the page cache to 112 MiB, so that an inspection stays within 200 MB in total.
      for pragma in ["mmap_size=0", "cache_size=-114688", "ignore_check_constraints=1"] {
        try connection.execute("PRAGMA \(pragma)")
      }
      try connection.execute("BEGIN")
      _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
      return connection
    } catch let error as SQLiteError {
      throw refusal(error, of: store)
    }
  }

  enum Part {
    case mainFile
    case all
  }

  /// Returns the store's UUID as read from the given files; `nil` if it cannot be read.
  func uuid(in part: Part) -> String? {
    let other = part == .all ? connection : try? Self.connect(store, .immutable)
    return try? other?.text("SELECT Z_UUID FROM Z_METADATA")
  }

  static func refusal(_ error: SQLiteError, of store: StoreFile) -> PersistentStoreError {
    error.isNotADatabase
      ? .notSQLite(path: store.path) : .damaged(path: store.path, reason: error.message)
  }

  /// The tables of a schema, and the parts that Core Data never writes.
  package struct SchemaContents: Sendable {
    /// The columns of each ordinary table.
    ///
    /// Virtual tables, views and computed columns are excluded, because reading them runs code
    /// written by the file's author.
    package private(set) var columns: [String: [String]] = [:]
    /// The computed columns as `TABLE.COLUMN`.
    package private(set) var generatedColumns: [String] = []
    package private(set) var virtualTables: [String] = []
    package private(set) var views: [String] = []
    package private(set) var triggers: [String] = []
    /// The names of indexes on expressions.
    package private(set) var expressionIndexes: [String] = []
    /// The SQL statements of partial indexes by name; Core Data writes those that a model declares.
    package private(set) var partialIndexes: [String: String] = [:]

    init(_ connection: Connection) throws {
      var tables: [String] = []
      let row = try connection.prepare(
        "SELECT type, name, rootpage, coalesce(substr(sql, 1, 20), '') FROM sqlite_schema "
          + "ORDER BY name"
      )
      while try row.step() {
        let name = row.text(at: 1)
        switch row.text(at: 0) {
        case "table":
          if row.integer(at: 2) > 0, row.text(at: 3).uppercased().hasPrefix("CREATE TABLE") {
            tables.append(name)
          } else {
            virtualTables.append(name)
          }
        case "view": views.append(name)
        case "trigger": triggers.append(name)
        default: continue
        }
      }
      for table in tables { try readColumns(of: table, connection) }
      let indexes = try connection.prepare(
        "SELECT DISTINCT i.name FROM sqlite_schema AS i, pragma_index_xinfo(i.name) AS x "
          + "WHERE i.type = 'index' AND x.cid = -2 ORDER BY 1"
      )
      while try indexes.step() { expressionIndexes.append(indexes.text(at: 0)) }
      let partial = try connection.prepare(
        "SELECT i.name, s.sql FROM sqlite_schema AS t, pragma_index_list(t.name) AS i, "
          + "sqlite_schema AS s WHERE t.type = 'table' AND i.partial = 1 AND s.type = 'index' AND "
          + "s.name = i.name"
      )
      while try partial.step() { partialIndexes[partial.text(at: 0)] = partial.text(at: 1) }
    }

    private mutating func readColumns(of table: String, _ connection: Connection) throws {
      let row = try connection.prepare("SELECT name, hidden FROM pragma_table_xinfo(?1)")
      row.bind(table, at: 1)
      var plain: [String] = []
      while try row.step() {
        if row.integer(at: 1) == 0 {
          plain.append(row.text(at: 0))
        } else {
          generatedColumns.append("\(table).\(row.text(at: 0))")
        }
      }
      columns[table] = plain
    }

    package func has(_ table: String) -> Bool { columns[table] != nil }

    package func has(_ column: String, in table: String) -> Bool {
      columns[table]?.contains(column) ?? false
    }

    /// Whether an integrity check of the file would run expressions that the store's model does not
    /// declare.
    func runsExpressions(besides layout: StoreLayout) -> Bool {
      guard generatedColumns.isEmpty, expressionIndexes.isEmpty else { return true }
      return !Set(partialIndexes.values).isSubset(of: layout.definitions)
    }
  }

  /// Interrupts statements that take more work than any valid store of the same size needs.
  ///
  /// The limit is a number of SQLite's virtual machine steps, not a time, so that the result for a
  /// file is reproducible.
  final class WorkBudget {
    private static let stride: Int32 = 10_000
    private static let base = 30_000_000
    private static let stepsPerPage = 200_000

    private let total: Int
    private var spent = 0

    /// Starts to limit the work on a connection; the limit depends on the file's number of pages.
    init(_ connection: Connection, pages: Int) {
      total = Self.base + Self.stepsPerPage * min(max(pages, 0), 1 << 40)
      connection.interrupt(every: Self.stride) { [unowned self] in
        spent += Int(Self.stride)
        return spent > total
      }
    }

    var isSpent: Bool { spent > total }
  }
}

/// Opens the content of stores of untrusted origin.
package enum PlainContent {
  /// Opens the content of a store in place, using the store's own model or the given one, without
  /// changing any file.
  ///
  /// For a copy, `path` is the path of the original, which error messages show.
  ///
  /// - Throws: ``PersistentStoreError`` or ``Refusal`` if the file is not a valid store, or if a
  ///   table of the model is a view or has computed columns. Reading these would run code written
  ///   by the file's author.
  package static func open(
    _ store: StoreFile,
    model: ModelFamily? = nil,
    path: String? = nil
  ) throws -> StoreContent {
    let facts = try StoreFacts(store: store, model: model)
    try facts.layout.model.checkNames()
    let schema = try StoreReader(store).schema
    for (table, columns) in tables(of: facts.layout) {
      guard columns.allSatisfy({ schema.has($0, in: table) }) else {
        throw PersistentStoreError.damaged(
          path: path ?? store.path,
          reason: "\(table) is not an ordinary table with the columns of the model"
        )
      }
    }
    return try StoreContent(store: store, layout: facts.layout)
  }

  private static func tables(of layout: StoreLayout) -> [(name: String, columns: [String])] {
    var tables = layout.tables.map { (name: $0.name, columns: $0.columnNames) }
    tables += layout.joinTables.map { (name: $0.name, columns: $0.columnNames) }
    if layout.keepsHistory {
      tables.append(("ACHANGE", ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZTRANSACTIONID"]))
      tables.append(("ATRANSACTION", ["Z_PK", "ZTIMESTAMP"]))
    }
    return tables
  }
}
