import Basics
import CSQLite

/// An open SQLite file, used by one thread at a time.
package final class Connection {
  /// The mode in which a file is opened.
  package enum Mode: Hashable, Sendable {
    /// The file must exist and is not written to; a WAL next to it is read.
    case readOnly
    /// The file must exist.
    case readWrite
    /// The file is created if it does not exist.
    case create
    /// Only the main file is read, without -wal and -shm; no process may change it while it is
    /// open.
    case immutable
    /// The main file and its -wal are read without locks; no process may change them while they are
    /// open.
    case detached
  }

  /// The path as the caller gave it, not made absolute.
  package let path: String
  let handle: Handle
  /// A closure that receives each statement's SQL when it is prepared, for tests.
  package var onPrepare: ((String) -> Void)?

  private var cache: [String: Statement] = [:]
  /// Prevents SQLite, if run as root, from changing the owner of -wal files that it only reads.
  ///
  /// It takes effect once per process, before the first file is opened.
  private static let keepsOwners: Void = csqlite_keep_owners()

  /// Opens a file and sets every pragma of the settings.
  ///
  /// Uses the process's default VFS unless another is given; `detached` always uses a VFS without
  /// locks. The SQL in the file's schema is trusted only as far as `trust` allows.
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

  /// Whether `callClock` measures the time inside SQLite.
  ///
  /// The time covers preparing, running, resetting and finalizing statements, checkpoints, backups
  /// and closing. It excludes binding values and reading columns, because timing such a call takes
  /// longer than the call.
  package var timesCalls: Bool {
    get { handle.timesCalls.pointee }
    set { handle.timesCalls.pointee = newValue }
  }

  /// The time spent inside SQLite while `timesCalls` was set.
  package var callClock: CallClock { handle.clock }

  /// The time at which the connection was opened, and the nanoseconds that opening and its settings
  /// took.
  package private(set) var opening: (at: UInt64, nanoseconds: UInt64) = (0, 0)

  private static func flags(of mode: Mode) -> Int32 {
    let shared = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
    return switch mode {
    case .readOnly, .immutable, .detached: shared | SQLITE_OPEN_READONLY
    case .readWrite: shared | SQLITE_OPEN_READWRITE
    case .create: shared | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
  }

  /// The path as a URI, escaped so that no character starts a URI parameter.
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

  /// Keeps the WAL index in memory, as exclusive locking mode does
  /// (https://www.sqlite.org/wal.html#noshm), and disables the checkpoint at close.
  private func detach() throws {
    keepWALAtClose()
    try execute("PRAGMA locking_mode=exclusive")
  }

  private func apply(_ settings: ConnectionSettings, _ mode: Mode) throws {
    let writes = mode == .readWrite || mode == .create
    // SQLite refuses to set auto_vacuum on a read-only file, even to its current value.
    for (name, value) in settings.pragmas
    where writes || !ConnectionSettings.fileProperties.contains(name) {
      try execute("PRAGMA \(name)=\(value)")
    }
  }

  /// Makes SQLite check the cell sizes in every page that it reads.
  ///
  /// Use it for untrusted files and outside timed work.
  package func checkCells() throws { try execute("PRAGMA cell_size_check=on") }

  /// Lets the named triggers run and call the given functions in addition to SQLite's harmless
  /// ones; a statement that would fire any other trigger fails.
  ///
  /// With `usesVirtualTables`, the triggers may also change virtual tables, such as R-tree indexes,
  /// which SQLite denies to an untrusted schema.
  package func allow(triggers: Set<String>, functions: Set<String>, usesVirtualTables: Bool) {
    if usesVirtualTables {
      csqlite_db_config_int(handle.pointer, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1)
    }
    let authorizer = TriggerAuthorizer(triggers: triggers, functions: functions)
    handle.authorizer = authorizer
    authorizer.install(on: handle.pointer)
  }

  /// Whether any triggers may run on this connection.
  package var allowsTriggers: Bool { handle.authorizer?.triggers.isEmpty == false }

  /// Installs a closure that decides which actions statements may perform directly, outside
  /// triggers.
  ///
  /// Preparing a statement with a refused action fails.
  package func authorize(_ allows: @escaping (Access) -> Bool) {
    let authorizer = handle.authorizer ?? TriggerAuthorizer(triggers: [], functions: [])
    authorizer.allowsStatement = allows
    handle.authorizer = authorizer
    authorizer.install(on: handle.pointer)
  }

  /// Leaves the WAL unchanged when the last connection closes, as after an app is killed.
  package func keepWALAtClose() {
    csqlite_db_config_int(handle.pointer, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
  }

  /// Prepares a statement.
  package func prepare(_ sql: String) throws -> Statement {
    onPrepare?(sql)
    // Refuse SQL with a NUL, because SQLite would ignore the text after it.
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

  /// A prepared statement that is cached for the next call with the same SQL.
  package func cached(_ sql: String) throws -> Statement {
    if let statement = cache[sql] { return statement }
    let statement = try prepare(sql)
    cache[sql] = statement
    return statement
  }

  /// Runs one statement to completion and discards its rows.
  package func execute(_ sql: String) throws {
    let statement = try prepare(sql)
    while try statement.step() {}
  }

  /// Runs several statements in order.
  package func executeScript(_ statements: [String]) throws {
    for sql in statements { try execute(sql) }
  }

  /// The integer in the first column of the first row, if there is a row and the value is not NULL.
  package func integer(_ sql: String) throws -> Int64? {
    let statement = try prepare(sql)
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return statement.integer(at: 0)
  }

  /// The text in the first column of the first row, if there is a row and the value is not NULL.
  package func text(_ sql: String) throws -> String? {
    let statement = try prepare(sql)
    guard try statement.step(), !statement.isNull(at: 0) else { return nil }
    return statement.text(at: 0)
  }

  /// Runs the body in a transaction, which is rolled back if the body throws.
  package func transaction<Result>(
    _ begin: String = "BEGIN IMMEDIATE",
    _ body: () throws -> Result
  ) throws -> Result {
    try cached(begin).run()
    do {
      let result = try body()
      try cached("COMMIT").run()
      // Ignore an injected failure, because the commit cannot be undone; only a fault that ends the
      // process takes effect here.
      _ = (handle.vfs ?? CountingVFS.installed)?.faults?.meet(.commit, path: path)
      return result
    } catch {
      // SQLite may already have rolled back; ignore the error of a second rollback.
      if sqlite3_get_autocommit(handle.pointer) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Whether a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle.pointer) == 0 }

  /// The number of rows that the last statement changed.
  package var changes: Int { Int(sqlite3_changes(handle.pointer)) }

  /// The counters of all work on this connection up to now.
  package var counters: Counters {
    var total = handle.finalised
    forEachStatement { total.add(statement: $0) }
    total.add(pageCacheOf: handle.pointer)
    return total
  }

  /// The number of statements run up to now; cheaper to read than all counters.
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

  /// Moves the whole WAL into the main file and truncates it.
  ///
  /// - Throws: ``SQLiteError``, including when a reader prevents frames from being moved.
  package func checkpoint() throws {
    let code = handle.timed {
      sqlite3_wal_checkpoint_v2(handle.pointer, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
    guard code == SQLITE_OK else { throw handle.error(code, while: "checkpoint") }
  }

  // MARK: Limits

  /// A limit of a connection on its statements and values
  /// (https://www.sqlite.org/c3ref/limit.html).
  package struct Limit: Hashable, Sendable {
    fileprivate let code: Int32

    /// The maximum size of a text, blob or row, in bytes.
    package static let valueBytes = Limit(code: SQLITE_LIMIT_LENGTH)
    /// The maximum size of an SQL statement, including those in the schema, in bytes.
    package static let statementBytes = Limit(code: SQLITE_LIMIT_SQL_LENGTH)
    /// The maximum depth of an expression tree.
    package static let expressionDepth = Limit(code: SQLITE_LIMIT_EXPR_DEPTH)
  }

  /// Lowers a limit; a statement that exceeds it fails.
  package func limit(_ limit: Limit, to value: Int32) {
    sqlite3_limit(handle.pointer, limit.code, value)
  }

  /// Calls a closure every `steps` steps of the virtual machine to ask whether to interrupt the
  /// running statement; `nil` removes the closure.
  ///
  /// An interrupted statement throws an error for which ``SQLiteError/isInterrupted`` is true.
  package func interrupt(every steps: Int32, when isOver: (() -> Bool)?) {
    handle.isOver = isOver
    guard isOver != nil else {
      sqlite3_progress_handler(handle.pointer, 0, nil, nil)
      return
    }
    // The handle closes the connection in its deinitializer, so it outlives every call of the
    // handler.
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

  /// Copies the file page by page into a new file, including the WAL's content
  /// (https://www.sqlite.org/backup.html).
  ///
  /// - Throws: ``SQLiteError`` if the copy cannot be made or is not finished in a single step.
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

  /// The disk properties that the VFS reports, which determine how SQLite writes to the file.
  package struct FileFacts: Hashable, Sendable {
    /// The number of bytes that the disk writes as a unit.
    package let sectorSize: Int
    /// The characteristics of the disk, as the bits listed at
    /// https://www.sqlite.org/c3ref/c_iocap_atomic.html.
    package let deviceCharacteristics: Int
  }

  /// The disk properties of the main file; `nil` before the file is first read.
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

/// An error that SQLite reported, with the statement that caused it.
package struct SQLiteError: ErrorWithStatus, Hashable, CustomStringConvertible {
  /// The extended result code.
  package var code: Int32
  /// SQLite's error message.
  package var message: String
  /// The SQL that failed, or the action that was performed.
  package var context: String

  package init(code: Int32, message: String, context: String) {
    self.code = code
    self.message = message
    self.context = context
  }

  package var status: CommandStatus { .failedIO }

  /// The primary result code, such as `SQLITE_CONSTRAINT` for `SQLITE_CONSTRAINT_UNIQUE`.
  package var primaryCode: Int32 { code & 0xff }

  package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
  package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }
  /// Whether the disk is full; SQLite reports `SQLITE_IOERR_SHMSIZE` if a WAL's index cannot grow.
  package var isFullDisk: Bool { primaryCode == SQLITE_FULL || code == SQLITE_IOERR | 19 << 8 }
  package var isNotADatabase: Bool { primaryCode == SQLITE_NOTADB }
  package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT }
  /// Whether the statement was interrupted by ``Connection/interrupt(every:when:)``.
  package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }
  /// Whether a value or a row exceeded the size limit.
  package var isTooBig: Bool { primaryCode == SQLITE_TOOBIG }

  package var description: String {
    "SQLite error \(code): \(message) - while executing '\(context)'"
  }
}
