import CSQLite

extension Connection {
  /// A bound on what a statement may do (https://www.sqlite.org/c3ref/limit.html).
  package enum Limit: Hashable, Sendable {
    /// Bytes of one text, blob or row.
    case valueBytes
    /// Bytes of one SQL statement, those of the schema among them.
    case statementBytes
    /// The depth of an expression's tree.
    case expressionDepth

    fileprivate var code: Int32 {
      switch self {
      case .valueBytes: SQLITE_LIMIT_LENGTH
      case .statementBytes: SQLITE_LIMIT_SQL_LENGTH
      case .expressionDepth: SQLITE_LIMIT_EXPR_DEPTH
      }
    }
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
}

extension SQLiteError {
  /// Whether the statement was given up, as ``Connection/interrupt(every:when:)`` asked for.
  package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }
  /// Whether a value or a row was larger than the limit.
  package var isTooBig: Bool { primaryCode == SQLITE_TOOBIG }
}
