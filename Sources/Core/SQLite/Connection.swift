import Basics
import CSQLite

/// An open SQLite file, used by one thread at a time.
package final class Connection {
  /// How a file is opened.
  package enum Mode: Hashable, Sendable {
    /// The file must exist and nothing is written to it; a WAL next to it is read.
    case readOnly
    /// The file must exist.
    case readWrite
    /// The file is made where there is none.
    case create
    /// The main file alone, which no process may change meanwhile: no -wal, no -shm.
    case immutable
    /// The main file and its -wal, for reading; no process may change them meanwhile: no locks.
    case detached
  }

  /// The path as it was given.
  package let path: String
  let handle: Handle
  /// Told of each statement's SQL when it is prepared; for tests that state the SQL they expect.
  package var onPrepare: ((String) -> Void)?

  private var cache: [String: Statement] = [:]
  /// Once for the process, before its first file.
  private static let keepsOwners: Void = csqlite_keep_owners()

  /// Opens a file and sets every pragma of the settings; through the process's default VFS unless
  /// another is given, and `detached` always through one without locks.
  ///
  /// The SQL of the file's schema is not trusted, unless that is asked for.
  package init(
    path: String,
    mode: Mode = .readWrite,
    settings: ConnectionSettings? = ConnectionSettings(),
    trust: SchemaTrust = .none,
    vfs: CountingVFS? = nil
  ) throws {
    self.path = path
    _ = Self.keepsOwners
    let start = MonotonicClock.now()
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(Self.name(of: path, mode), &opened, Self.flags(of: mode), vfs?.name)
    guard code == SQLITE_OK, let handle = opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw SQLiteError(code: code, message: message, context: "open \(path)")
    }
    self.handle = Handle(pointer: handle, vfs: vfs)
    sqlite3_extended_result_codes(handle, 1)
    if trust == .none { SchemaTrust.withdraw(from: handle) }
    if mode == .detached { try detach() }
    if let observer = Self.commonObserver { observe(observer) }
    if let settings { try apply(settings, mode) }
    if trust == .none { SchemaTrust.defend(handle) }
    opening = (start, MonotonicClock.now() &- start)
  }

  /// While set, `callClock` adds up the time inside SQLite.
  ///
  /// That is preparing, running, resetting and finalizing statements, checkpoints, backups and closing.
  /// Binding a value and taking one out of a
  /// row are not in it: to time such a call takes longer than the call.
  package var timesCalls: Bool {
    get { handle.timesCalls.pointee }
    set { handle.timesCalls.pointee = newValue }
  }

  /// What was spent inside SQLite while `timesCalls` was set.
  package var callClock: CallClock { handle.clock }

  /// When the connection was opened, and the nanoseconds that opening and its settings took.
  package private(set) var opening: (at: UInt64, nanoseconds: UInt64) = (0, 0)

  private static func flags(of mode: Mode) -> Int32 {
    let shared = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
    return switch mode {
    case .readOnly, .immutable, .detached: shared | SQLITE_OPEN_READONLY
    case .readWrite: shared | SQLITE_OPEN_READWRITE
    case .create: shared | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
  }

  /// The path as a URI, so that no character in it is taken for a parameter.
  private static func name(of path: String, _ mode: Mode) -> String {
    var uri = "file:"
    for byte in path.utf8 {
      let isPlain =
        (0x61...0x7a).contains(byte) || (0x41...0x5a).contains(byte)
        || (0x2d...0x39).contains(byte) || byte == 0x5f
      if isPlain {
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        uri += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
      }
    }
    return switch mode {
    case .immutable: uri + "?immutable=1"
    case .detached: uri + "?vfs=unix-none"
    case .readOnly, .readWrite, .create: uri
    }
  }

  /// Keeps the index of the WAL in memory, where the exclusive mode has it
  /// (https://www.sqlite.org/wal.html#noshm), and the WAL from being moved into the file at the end.
  private func detach() throws {
    keepWALAtClose()
    try execute("PRAGMA locking_mode=exclusive")
  }

  private func apply(_ settings: ConnectionSettings, _ mode: Mode) throws {
    let writes = mode == .readWrite || mode == .create
    // SQLite refuses to set auto_vacuum where it must not write, even to what it is.
    for (name, value) in settings.pragmas
    where writes || !ConnectionSettings.fileProperties.contains(name) {
      try execute("PRAGMA \(name)=\(value)")
    }
  }

  /// Looks at the sizes of cells in every page that is read: for files from outside, where nothing
  /// is timed.
  package func checkCells() throws { try execute("PRAGMA cell_size_check=on") }

  /// Lets the triggers of these names run, and in them these functions besides SQLite's harmless ones;
  /// a statement that would fire any other trigger fails.
  ///
  /// With `usesVirtualTables` they may change virtual tables, which SQLite trusts no schema with by
  /// itself: an R-tree index is one.
  package func allow(triggers: Set<String>, functions: Set<String>, usesVirtualTables: Bool) {
    if usesVirtualTables {
      csqlite_db_config_int(handle.pointer, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1)
    }
    let authorizer = TriggerAuthorizer(triggers: triggers, functions: functions)
    handle.authorizer = authorizer
    authorizer.install(on: handle.pointer)
  }

  /// Whether some triggers may run on this connection.
  package var allowsTriggers: Bool { handle.authorizer?.triggers.isEmpty == false }

  /// Has a closure decide what statements may do themselves, apart from their triggers; what it refuses
  /// fails to be prepared.
  package func authorize(_ allows: @escaping (Access) -> Bool) {
    let authorizer = handle.authorizer ?? TriggerAuthorizer(triggers: [], functions: [])
    authorizer.allowsStatement = allows
    handle.authorizer = authorizer
    authorizer.install(on: handle.pointer)
  }

  /// Leaves the WAL as it is when the last connection is closed, as a killed app does.
  package func keepWALAtClose() {
    csqlite_db_config_int(handle.pointer, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
  }

  /// Prepares a statement.
  package func prepare(_ sql: String) throws -> Statement {
    onPrepare?(sql)
    // SQLite would take the text up to there for the whole of it.
    guard !sql.utf8.contains(0) else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "the SQL has a NUL", context: sql)
    }
    var prepared: OpaquePointer?
    let code = handle.timed {
      sqlite3_prepare_v3(handle.pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    }
    guard code == SQLITE_OK else { throw handle.error(code, while: sql) }
    guard let prepared else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "there is no statement", context: sql)
    }
    handle.finalised.statementsPrepared += 1
    return Statement(handle: handle, pointer: prepared)
  }

  /// A prepared statement that is kept for the next call with the same SQL.
  package func cached(_ sql: String) throws -> Statement {
    if let statement = cache[sql] { return statement }
    let statement = try prepare(sql)
    cache[sql] = statement
    return statement
  }

  /// Runs one statement to its end, passing over its rows.
  package func execute(_ sql: String) throws {
    let statement = try prepare(sql)
    while try statement.step() {}
  }

  /// Runs several statements one after the other.
  package func executeScript(_ statements: [String]) throws {
    for sql in statements { try execute(sql) }
  }

  /// The integer in the first column of the first row; `nil` where there is no row or it is NULL.
  package func integer(_ sql: String) throws -> Int64? {
    let statement = try prepare(sql)
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return statement.integer(at: 0)
  }

  /// The text in the first column of the first row; `nil` where there is no row or it is NULL.
  package func text(_ sql: String) throws -> String? {
    let statement = try prepare(sql)
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return statement.text(at: 0)
  }

  /// Runs the body inside a transaction, rolled back when the body throws.
  package func transaction<Result>(
    _ begin: String = "BEGIN IMMEDIATE",
    _ body: () throws -> Result
  ) throws -> Result {
    try cached(begin).run()
    do {
      let result = try body()
      try cached("COMMIT").run()
      // Nothing undoes a commit any more: a fault here can only end the process.
      _ = (handle.vfs ?? CountingVFS.installed)?.faults?.meet(.commit, path: path)
      return result
    } catch {
      // SQLite may have rolled back by itself already; that error says nothing new.
      if sqlite3_get_autocommit(handle.pointer) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle.pointer) == 0 }

  /// The rows that the last statement changed.
  package var changes: Int { Int(sqlite3_changes(handle.pointer)) }

  /// The counters of everything done on this connection so far.
  package var counters: Counters {
    var total = handle.finalised
    forEachStatement { total.add(statement: $0) }
    total.add(pageCacheOf: handle.pointer)
    return total
  }

  /// How many statements were run so far, cheaper than all the counters.
  package var statementsRun: Int64 {
    var total = handle.finalised.statementsRun
    forEachStatement { total += Int64(sqlite3_stmt_status($0, SQLITE_STMTSTATUS_RUN, 0)) }
    return total
  }

  private func forEachStatement(_ body: (OpaquePointer) -> Void) {
    var statement = sqlite3_next_stmt(handle.pointer, nil)
    while let live = statement {
      body(live)
      statement = sqlite3_next_stmt(handle.pointer, live)
    }
  }

  /// Moves the whole WAL into the main file and empties it.
  ///
  /// - Throws: ``SQLiteError`` also where a reader keeps frames from being moved.
  package func checkpoint() throws {
    let code = handle.timed {
      sqlite3_wal_checkpoint_v2(handle.pointer, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
    guard code == SQLITE_OK else { throw handle.error(code, while: "checkpoint") }
  }

  // MARK: Limits

  /// A bound on what a statement may do (https://www.sqlite.org/c3ref/limit.html).
  package struct Limit: Hashable, Sendable {
    fileprivate let code: Int32

    /// Bytes of one text, blob or row.
    package static let valueBytes = Limit(code: SQLITE_LIMIT_LENGTH)
    /// Bytes of one SQL statement, those of the schema among them.
    package static let statementBytes = Limit(code: SQLITE_LIMIT_SQL_LENGTH)
    /// The depth of an expression's tree.
    package static let expressionDepth = Limit(code: SQLITE_LIMIT_EXPR_DEPTH)
  }

  /// Lowers a bound; a statement beyond it fails.
  package func limit(_ limit: Limit, to value: Int32) {
    sqlite3_limit(handle.pointer, limit.code, value)
  }

  /// Asks a closure now and then, after some steps of the virtual machine, whether to give up the
  /// statement under way; `nil` asks no longer.
  ///
  /// A statement that is given up throws an error that ``SQLiteError/isInterrupted`` tells.
  package func interrupt(every steps: Int32, when isOver: (() -> Bool)?) {
    handle.isOver = isOver
    guard isOver != nil else {
      sqlite3_progress_handler(handle.pointer, 0, nil, nil)
      return
    }
    // The handle closes the connection when it goes, so it is there as long as it is asked.
    let context = Unmanaged.passUnretained(handle).toOpaque()
    sqlite3_progress_handler(
      handle.pointer,
      steps,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Handle>.fromOpaque(context).takeUnretainedValue().isOver?() == true ? 1 : 0
      },
      context
    )
  }

  // MARK: Copies and the disk

  /// Copies the file page by page into a new one, what is in the WAL included
  /// (https://www.sqlite.org/backup.html).
  ///
  /// - Throws: ``SQLiteError`` where the copy cannot be made or is not finished in one go.
  package func backUp(to path: String) throws {
    let target = try handle.timed {
      Result { try Connection(path: path, mode: .create, settings: nil) }
    }.get()
    let backup = sqlite3_backup_init(target.handle.pointer, "main", handle.pointer, "main")
    guard let backup else { throw target.handle.error(SQLITE_ERROR, while: "back up to \(path)") }
    let (code, end) = handle.timed {
      (sqlite3_backup_step(backup, -1), sqlite3_backup_finish(backup))
    }
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      throw target.handle.error(code == SQLITE_DONE ? end : code, while: "back up to \(path)")
    }
  }

  /// What the VFS says of the disk below a file, which decides how SQLite writes to it.
  package struct FileFacts: Hashable, Sendable {
    /// Bytes that are written as one.
    package let sectorSize: Int
    /// The bits of https://www.sqlite.org/c3ref/c_iocap_atomic.html.
    package let deviceCharacteristics: Int
  }

  /// The facts of the main file; `nil` before it was first read.
  package var fileFacts: FileFacts? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle.pointer, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods else { return nil }
    return FileFacts(
      sectorSize: Int(methods.pointee.xSectorSize?(file) ?? 0),
      deviceCharacteristics: Int(methods.pointee.xDeviceCharacteristics?(file) ?? 0)
    )
  }
}

/// An error that SQLite reported, with the statement that met it.
package struct SQLiteError: ErrorWithStatus, Hashable, CustomStringConvertible {
  /// The extended result code.
  package var code: Int32
  /// SQLite's own words for what happened.
  package var message: String
  /// The SQL or the action under way.
  package var context: String

  package init(code: Int32, message: String, context: String) {
    self.code = code
    self.message = message
    self.context = context
  }

  package var status: CommandStatus { .failedIO }

  /// The code without its extension: `SQLITE_CONSTRAINT` for `SQLITE_CONSTRAINT_UNIQUE`.
  package var primaryCode: Int32 { code & 0xff }

  package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
  package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }
  /// `SQLITE_IOERR_SHMSIZE` is what SQLite reports if the index of a WAL cannot grow.
  package var isFullDisk: Bool { primaryCode == SQLITE_FULL || code == SQLITE_IOERR | 19 << 8 }
  package var isNotADatabase: Bool { primaryCode == SQLITE_NOTADB }
  package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT }
  /// Whether the statement was given up, as ``Connection/interrupt(every:when:)`` asked for.
  package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }
  /// Whether a value or a row was larger than the limit.
  package var isTooBig: Bool { primaryCode == SQLITE_TOOBIG }

  package var description: String {
    "SQLite error \(code): \(message) - while executing '\(context)'"
  }
}
