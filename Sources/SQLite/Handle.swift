import CSQLite

/// SQLite's own connection object, closed when the connection and all its statements are gone.
@usableFromInline
final class Handle {
  @usableFromInline let pointer: OpaquePointer
  @usableFromInline var timesSteps = false
  var stepNanoseconds: UInt64 = 0
  /// What the statements that are gone had counted.
  var finalised = Counters()

  init(pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    sqlite3_close_v2(pointer)
  }

  func error(_ code: Int32, while context: String) -> SQLiteError {
    let extended = sqlite3_extended_errcode(pointer)
    return SQLiteError(
      code: extended & 0xff == code & 0xff ? extended : code,
      message: String(cString: sqlite3_errmsg(pointer)), context: context)
  }
}
