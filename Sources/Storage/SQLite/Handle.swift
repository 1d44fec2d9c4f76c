import CSQLite

/// SQLite's own connection object, closed when the connection and all its statements are gone.
@usableFromInline
final class Handle {
  @usableFromInline let pointer: OpaquePointer
  /// Behind a pointer, because every step reads it and a class's variable is checked for
  /// exclusive access each time.
  @usableFromInline let timesSteps: UnsafeMutablePointer<Bool>
  var stepNanoseconds: UInt64 = 0
  /// What the statements that are gone had counted.
  var finalised = Counters()
  /// Says whether to give up the statement under way.
  var isOver: (() -> Bool)?

  /// What its files are open through, which must outlive them.
  let vfs: CountingVFS?

  init(pointer: OpaquePointer, vfs: CountingVFS? = nil) {
    self.pointer = pointer
    self.vfs = vfs
    timesSteps = .allocate(capacity: 1)
    timesSteps.initialize(to: false)
  }

  deinit {
    sqlite3_close_v2(pointer)
    timesSteps.deallocate()
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
