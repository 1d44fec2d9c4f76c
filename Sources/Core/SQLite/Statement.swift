import Basics
import CSQLite

/// A prepared statement of one connection.
///
/// The functions that run for every row are public, because a `package` function is not inlined
/// into another module.
public final class Statement {
  /// The storage class of a column's value in the current row.
  public enum StorageClass: Int32, Hashable, Sendable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
  }

  @usableFromInline let handle: Handle
  @usableFromInline let pointer: OpaquePointer

  init(handle: Handle, pointer: OpaquePointer) {
    self.handle = handle
    self.pointer = pointer
  }

  deinit {
    handle.finalised.add(statement: pointer)
    _ = handle.timed { sqlite3_finalize(pointer) }
  }

  /// The SQL from which the statement was prepared.
  package var sql: String { String(cString: sqlite3_sql(pointer)) }

  /// The number of result columns.
  package var columnCount: Int { Int(sqlite3_column_count(pointer)) }

  /// The name of a result column.
  package func columnName(at column: Int) -> String {
    sqlite3_column_name(pointer, Int32(column)).map { String(cString: $0) } ?? ""
  }

  // MARK: Running

  /// Advances to the next row; returns `false` at the end, after resetting the statement for its
  /// next use.
  ///
  /// - Throws: ``SQLiteError``, after resetting the statement.
  @inlinable
  public func step() throws -> Bool {
    let code = handle.timesCalls.pointee ? timedStep() : sqlite3_step(pointer)
    if code == SQLITE_ROW { return true }
    try finish(code)
    return false
  }

  /// Reads all remaining rows.
  @inlinable
  public func map<Row>(_ read: (Statement) throws -> Row) throws -> [Row] {
    var rows: [Row] = []
    while try step() { rows.append(try read(self)) }
    return rows
  }

  @usableFromInline func finish(_ code: Int32) throws {
    let failure = code == SQLITE_DONE ? nil : handle.error(code, while: sql)
    reset()
    if let failure { throw failure }
  }

  @usableFromInline func timedStep() -> Int32 { handle.timed { sqlite3_step(pointer) } }

  // Resetting ends the statement's read or write: it releases locks and may run the automatic
  // checkpoint after a commit.
  @usableFromInline func timedReset() { _ = handle.timed { sqlite3_reset(pointer) } }

  /// Runs the statement to its end.
  @inlinable
  public func run() throws {
    while try step() {}
  }

  /// Discards the remaining rows, so that the statement can run again.
  @inlinable
  public func reset() {
    if handle.timesCalls.pointee { timedReset() } else { sqlite3_reset(pointer) }
  }

  // MARK: Binding: parameter indexes start at 1, as in SQLite

  /// Binds an integer.
  @inlinable
  public func bind(_ value: Int64, at index: Int) {
    sqlite3_bind_int64(pointer, Int32(truncatingIfNeeded: index), value)
  }

  /// Binds a floating-point number.
  @inlinable
  public func bind(_ value: Double, at index: Int) {
    sqlite3_bind_double(pointer, Int32(truncatingIfNeeded: index), value)
  }

  /// Binds a copy of the text, in UTF-8.
  @inlinable
  public func bind(_ value: String, at index: Int) {
    var value = value
    value.withUTF8 { bindText(UnsafeRawBufferPointer($0), at: index) }
  }

  /// Binds the UTF-8 bytes of a string.
  @inlinable
  package func bindText(_ bytes: UnsafeRawBufferPointer, at index: Int) {
    // An empty buffer may have no address, which SQLite would interpret as NULL.
    withUnsafePointer(to: 0 as UInt8) { empty in
      let text = (bytes.baseAddress ?? UnsafeRawPointer(empty)).assumingMemoryBound(to: CChar.self)
      sqlite3_bind_text64(
        pointer,
        Int32(truncatingIfNeeded: index),
        text,
        UInt64(bytes.count),
        csqlite_transient(),
        UInt8(SQLITE_UTF8)
      )
    }
  }

  /// Binds a copy of the bytes as a blob.
  @inlinable
  public func bind(_ value: [UInt8], at index: Int) {
    value.withUnsafeBytes { bind($0, at: index) }
  }

  /// Binds a copy of a memory region as a blob; an empty region becomes an empty blob, not NULL.
  @inlinable
  public func bind(_ bytes: UnsafeRawBufferPointer, at index: Int) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      sqlite3_bind_zeroblob(pointer, Int32(truncatingIfNeeded: index), 0)
      return
    }
    sqlite3_bind_blob64(
      pointer,
      Int32(truncatingIfNeeded: index),
      start,
      UInt64(bytes.count),
      csqlite_transient()
    )
  }

  /// Binds NULL.
  @inlinable
  public func bindNull(at index: Int) {
    sqlite3_bind_null(pointer, Int32(truncatingIfNeeded: index))
  }

  /// Sets every parameter to NULL.
  package func clearBindings() {
    sqlite3_clear_bindings(pointer)
  }

  // MARK: Columns of the current row: indexes start at 0

  /// The cell in a column of the current row.
  @inlinable @inline(__always)
  public func cell(at column: Int) -> Cell {
    Cell(statement: pointer, column: Int32(truncatingIfNeeded: column))
  }

  /// The storage class of the column's value.
  @inlinable
  public func storageClass(at column: Int) -> StorageClass {
    StorageClass(rawValue: sqlite3_column_type(pointer, Int32(truncatingIfNeeded: column))) ?? .null
  }

  /// The storage class as SQLite's integer code, without conversion to an enumeration.
  @inlinable
  public func typeCode(at column: Int) -> Int32 {
    sqlite3_column_type(pointer, Int32(truncatingIfNeeded: column))
  }

  /// Whether the column's value is NULL.
  @inlinable
  public func isNull(at column: Int) -> Bool {
    sqlite3_column_type(pointer, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
  }

  /// The value as an integer; 0 for NULL.
  @inlinable
  public func integer(at column: Int) -> Int64 {
    sqlite3_column_int64(pointer, Int32(truncatingIfNeeded: column))
  }

  /// The value as a floating-point number; 0 for NULL.
  @inlinable
  public func real(at column: Int) -> Double {
    sqlite3_column_double(pointer, Int32(truncatingIfNeeded: column))
  }

  /// The value as text; invalid UTF-8 is replaced with replacement characters.
  @inlinable
  public func text(at column: Int) -> String {
    let column = Int32(truncatingIfNeeded: column)
    guard let start = sqlite3_column_text(pointer, column) else { return "" }
    let count = Int(sqlite3_column_bytes(pointer, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The bytes of a blob, or the UTF-8 bytes of a string.
  @inlinable
  public func blob(at column: Int) -> [UInt8] {
    withBytes(at: column) { [UInt8]($0) }
  }

  /// Calls the closure with the bytes of a blob or string, which are not copied and become invalid
  /// at the next step.
  @inlinable
  public func withBytes<Result>(
    at column: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let column = Int32(truncatingIfNeeded: column)
    let start = sqlite3_column_blob(pointer, column)
    let count = Int(sqlite3_column_bytes(pointer, column))
    return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// Whether the current rows of two statements have the same number of columns, and in each the
  /// same storage class and the same bytes.
  package func hasSameRow(as other: Statement) -> Bool {
    columnCount == other.columnCount
      && (0..<columnCount).allSatisfy { column in
        let storage = storageClass(at: column)
        guard storage == other.storageClass(at: column) else { return false }
        switch storage {
        case .null: return true
        case .integer: return integer(at: column) == other.integer(at: column)
        case .real: return real(at: column).bitPattern == other.real(at: column).bitPattern
        case .text, .blob:
          return withBytes(at: column) { bytes in
            other.withBytes(at: column) { $0.elementsEqual(bytes) }
          }
        }
      }
  }
}

/// A column of a statement's current row, looked up once; invalid after the next step.
///
/// Connections are opened without a mutex, so SQLite does not distinguish protected from
/// unprotected values (https://www.sqlite.org/c3ref/value.html). One lookup therefore serves the
/// type and the value; `sqlite3_column_type` and similar functions would take two. All members are
/// public, because a `package` function is not inlined into another module even if it is
/// `@inlinable`.
public struct Cell {
  @usableFromInline let pointer: OpaquePointer?

  /// Looks up a column of a statement, which another library may have prepared.
  @inlinable @inline(__always)
  public init(statement: OpaquePointer, column: Int32) {
    pointer = sqlite3_column_value(statement, column)
  }

  /// The storage class as SQLite's integer code.
  ///
  /// Read it before the value, because reading the value may convert it.
  @inlinable @inline(__always)
  public var typeCode: Int32 { sqlite3_value_type(pointer) }

  /// The value as an integer; 0 for NULL.
  @inlinable @inline(__always)
  public var integer: Int64 { sqlite3_value_int64(pointer) }

  /// The value as a floating-point number; 0 for NULL.
  @inlinable @inline(__always)
  public var real: Double { sqlite3_value_double(pointer) }

  /// The value as text; invalid UTF-8 is replaced with replacement characters.
  @inlinable @inline(__always)
  public var text: String {
    guard let start = sqlite3_value_text(pointer) else { return "" }
    let count = Int(sqlite3_value_bytes(pointer))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The bytes of a blob, or the UTF-8 bytes of a string.
  @inlinable @inline(__always)
  public var bytes: [UInt8] {
    guard let start = sqlite3_value_blob(pointer) else { return [] }
    let count = Int(sqlite3_value_bytes(pointer))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }
}

/// The time spent in SQLite calls for one connection, in nanoseconds.
///
/// The clock outlives the connection, so that it includes the time to close it.
package final class CallClock {
  package fileprivate(set) var nanoseconds: UInt64 = 0
}

/// SQLite's connection, closed when it and all its statements have been released.
@usableFromInline
final class Handle {
  @usableFromInline let pointer: OpaquePointer
  /// Whether to measure the time of calls.
  ///
  /// Every step reads this flag through a pointer, because Swift checks each access to a stored
  /// property of a class for exclusivity.
  @usableFromInline let timesCalls: UnsafeMutablePointer<Bool>
  let clock = CallClock()
  var finalised = Counters()
  var authorizer: TriggerAuthorizer?
  /// The handler that waits for other connections' locks; if it is `nil`, SQLite waits.
  var lockWaiting: Connection.LockWaiting?
  var isOver: (() -> Bool)?
  var observer: (any StatementObserver)?

  /// The VFS for the connection's files; it must outlive the connection.
  let vfs: CountingVFS?

  init(pointer: OpaquePointer, vfs: CountingVFS? = nil) {
    self.pointer = pointer
    self.vfs = vfs
    timesCalls = .allocate(capacity: 1)
    timesCalls.initialize(to: false)
  }

  deinit {
    // Time the call, because closing the last connection to a file checkpoints its WAL.
    _ = timed { sqlite3_close_v2(pointer) }
    timesCalls.deallocate()
  }

  func timed<Result>(_ call: () -> Result) -> Result {
    guard timesCalls.pointee else { return call() }
    let start = MonotonicClock.now()
    defer { clock.nanoseconds &+= MonotonicClock.now() &- start }
    return call()
  }

  func error(_ code: Int32, while context: String) -> SQLiteError {
    let extended = sqlite3_extended_errcode(pointer)
    return SQLiteError(
      code: extended & 0xff == code & 0xff ? extended : code,
      message: String(cString: sqlite3_errmsg(pointer)),
      context: context
    )
  }
}
