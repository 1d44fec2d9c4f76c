import Basics
import DataModel
import PersistentStore
import SQLite

/// A store opened for reading without a trace: nothing in its folder is made, changed or removed.
///
/// With a -wal the connection keeps the WAL's index in memory, so that no -shm appears and nothing
/// is copied; without one the main file alone is read. Nothing of the schema is trusted, and the
/// bounds on values and on work hold for any file.
package final class StoreReader {
  package let store: StoreFile
  package let connection: Connection
  package let header: FileHeader
  package let wal: WriteAheadLog?
  package let schema: SchemaContents
  /// Why the -wal was left out, if it was.
  package let walProblem: String?
  let budget: WorkBudget

  /// Bytes of the largest value that is read; larger ones are counted and skipped.
  static let largestValue: Int32 = 16 << 20

  /// Opens a store.
  ///
  /// - Throws: ``PersistentStoreError`` or ``Refusal`` that says why it cannot be read.
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
      // A WAL of another file turns a sound one into a broken one.
      guard let connection = try? connect(store, .immutable) else { throw error }
      return (connection, "the store cannot be read with it")
    }
  }

  private static func connect(_ store: StoreFile, _ mode: Connection.Mode) throws -> Connection {
    do {
      let connection = try Connection(path: store.path, mode: mode, settings: nil)
      let computed = try connection.computedColumns()
      // Others are not read, and are listed; these are read before anything is known of the file.
      if let first = computed.first(where: { $0.hasPrefix("Z_") || $0.hasPrefix("sqlite_stat") }) {
        throw PersistentStoreError.damaged(
          path: store.path,
          reason: "it has the computed column \(first), which the frameworks never make"
        )
      }
      try connection.checkCells()
      connection.limit(.valueBytes, to: largestValue)
      connection.limit(.statementBytes, to: 4 << 20)
      // 112 MiB of pages: with the rest an inspection stays within 200 MB.
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

  /// The files that a value is read from.
  enum Part {
    case mainFile
    /// The main file with what the -wal adds.
    case all
  }

  /// The store's UUID as a part of its files has it; `nil` if it cannot be read.
  func uuid(in part: Part) -> String? {
    let other = part == .all ? connection : try? Self.connect(store, .immutable)
    return try? other?.text("SELECT Z_UUID FROM Z_METADATA")
  }

  /// What a failure to read the schema means.
  static func refusal(_ error: SQLiteError, of store: StoreFile) -> PersistentStoreError {
    error.isNotADatabase
      ? .notSQLite(path: store.path) : .damaged(path: store.path, reason: error.message)
  }

  /// The tables of a schema, and the parts that the frameworks never write.
  package struct SchemaContents: Sendable {
    /// The ordinary tables with their plain columns; virtual tables, views and computed columns run
    /// code of the file's author when they are read, and are left out.
    package private(set) var columns: [String: [String]] = [:]
    /// Computed columns as `TABLE.COLUMN`.
    package private(set) var generatedColumns: [String] = []
    package private(set) var virtualTables: [String] = []
    package private(set) var views: [String] = []
    package private(set) var triggers: [String] = []
    /// Indexes over expressions.
    package private(set) var expressionIndexes: [String] = []
    /// The statements of indexes over a part of the rows, by name; a model may ask for such ones.
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

    /// Whether checking the file's integrity would run expressions that the store's model does not
    /// ask for.
    func runsExpressions(besides layout: StoreLayout) -> Bool {
      guard generatedColumns.isEmpty, expressionIndexes.isEmpty else { return true }
      return !Set(partialIndexes.values).isSubset(of: layout.definitions)
    }
  }

  /// Ends what takes longer than any honest store of its size could ask for.
  ///
  /// Counted in steps of SQLite's virtual machine and not in time, so that the same file ends the
  /// same way everywhere.
  final class WorkBudget {
    private static let stride: Int32 = 10_000
    private static let base = 30_000_000
    private static let stepsPerPage = 200_000

    private let total: Int
    private var spent = 0

    /// Watches a connection to a file of some pages from now on.
    init(_ connection: Connection, pages: Int) {
      total = Self.base + Self.stepsPerPage * min(max(pages, 0), 1 << 40)
      connection.interrupt(every: Self.stride) { [unowned self] in
        spent += Int(Self.stride)
        return spent > total
      }
    }

    /// Whether nothing is left: every further statement is given up.
    var isSpent: Bool { spent > total }
  }
}

/// Opens the content of stores that somebody else made.
package enum PlainContent {
  /// The content by the model that the store carries or one that is given, read in place without a
  /// trace.
  ///
  /// - Throws: ``PersistentStoreError`` or ``Refusal`` if it is no sound store; a table of
  ///   the model that is a view or computes columns would run code of the file's author.
  ///
  /// Of a copy, `path` is that of the original, which errors name.
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
