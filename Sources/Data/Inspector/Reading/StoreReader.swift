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
  /// Why the -wal was left out, where it was.
  package let walProblem: String?
  let budget: WorkBudget

  /// Bytes of the largest value that is read; larger ones are counted and passed over.
  static let largestValue: Int32 = 16 << 20

  /// Opens a store.
  ///
  /// - Throws: ``PersistentStoreError`` or ``InspectionError`` that says why it cannot be read.
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
      return (try connect(store, .immutable), "its header is no WAL's, or damaged")
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
      try connection.distrustSchema()
      connection.limit(.valueBytes, to: largestValue)
      connection.limit(.statementBytes, to: 4 << 20)
      for pragma in ["mmap_size=0", "cache_size=-196608", "ignore_check_constraints=1"] {
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

  /// The store's UUID as a part of its files has it; `nil` where it cannot be read.
  func uuid(in part: Part) -> String? {
    let other = part == .all ? connection : try? Self.connect(store, .immutable)
    return try? other?.text("SELECT Z_UUID FROM Z_METADATA")
  }

  /// What a failure to read the schema means.
  static func refusal(_ error: SQLiteError, of store: StoreFile) -> PersistentStoreError {
    error.isNotADatabase
      ? .notSQLite(path: store.path) : .damaged(path: store.path, reason: error.message)
  }
}
