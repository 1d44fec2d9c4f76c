import CSQLite

/// Told of each statement that a connection runs, by SQLite itself: a connection without an observer
/// does nothing for it (https://www.sqlite.org/c3ref/trace_v2.html).
///
/// The calls come within `sqlite3_step`: they must not use the connection.
package protocol StatementObserver: AnyObject {
  /// A connection was opened whose statements are observed.
  func opened(_ path: String)
  /// A statement starts, its parameters bound.
  func starts(_ statement: TracedStatement)
  /// A row of a statement's result is there.
  func givesRow(_ statement: TracedStatement)
  /// A statement has given its last row, or is given up.
  func ends(_ statement: TracedStatement)
}

/// A statement as its observer sees it; gone after the call.
package struct TracedStatement {
  private let pointer: OpaquePointer

  fileprivate init(_ pointer: OpaquePointer) { self.pointer = pointer }

  /// The same in all calls from a statement's start to its end.
  package var id: Int { Int(bitPattern: pointer) }

  /// The same for all statements of a connection.
  package var connection: Int { Int(bitPattern: sqlite3_db_handle(pointer)) }

  /// Empty for what SQLite runs by itself, such as reading the schema.
  package var sql: String { sqlite3_sql(pointer).map { String(cString: $0) } ?? "" }

  /// Whether it has not run since it was compiled.
  package var isFirstRun: Bool { sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_RUN, 0) == 0 }

  /// The SQL with its values in place of the parameters; `nil` where that is longer than allowed.
  package var expandedSQL: String? {
    guard let text = sqlite3_expanded_sql(pointer) else { return nil }
    defer { sqlite3_free(text) }
    return String(cString: text)
  }

  /// The integer in a column of the row that is there; `nil` for another type.
  package func integer(at column: Int) -> Int64? {
    guard column < Int(sqlite3_data_count(pointer)),
      sqlite3_column_type(pointer, Int32(column)) == SQLITE_INTEGER
    else { return nil }
    return sqlite3_column_int64(pointer, Int32(column))
  }
}

extension Connection {
  /// Told of the statements of all connections that are opened from now on; set by a process that
  /// logs, before it opens the first one.
  package nonisolated(unsafe) static var commonObserver: (any StatementObserver)?

  /// Tells the connection apart from others that are open, as ``TracedStatement/connection`` does.
  package var identity: Int { Int(bitPattern: handle.pointer) }

  /// Gets each statement that runs; `nil` unless the process logs.
  package var observer: (any StatementObserver)? { handle.observer }

  /// Tells an observer of each statement from now on.
  package func observe(_ observer: any StatementObserver) {
    handle.observer = observer
    StatementTally.trace(handle.pointer, for: observer)
    observer.opened(path)
  }
}

/// The statements that connections of whatever library run, in the order of their first run.
package final class StatementTally: StatementObserver {
  /// One text of SQL.
  package struct Entry: Hashable, Sendable {
    package let sql: String
    /// How often it was compiled, and how often it was run.
    package fileprivate(set) var compiled = 0
    package fileprivate(set) var runs = 0
    /// Rows that it handed out.
    package fileprivate(set) var rows = 0
  }

  package private(set) var entries: [Entry] = []
  private var positions: [String: Int] = [:]

  package init() {}

  package func opened(_ path: String) {}

  package func starts(_ statement: TracedStatement) {
    change(statement) {
      $0.runs += 1
      if statement.isFirstRun { $0.compiled += 1 }
    }
  }

  package func givesRow(_ statement: TracedStatement) { change(statement) { $0.rows += 1 } }

  package func ends(_ statement: TracedStatement) {}

  private func change(_ statement: TracedStatement, _ body: (inout Entry) -> Void) {
    let sql = statement.sql
    guard !sql.isEmpty else { return }
    let position = positions[sql] ?? entries.count
    if position == entries.count {
      positions[sql] = position
      entries.append(Entry(sql: sql))
    }
    body(&entries[position])
  }

  /// Tells an observer, which must outlive the connection, of each statement of a connection.
  package static func trace(_ connection: OpaquePointer, for observer: any StatementObserver) {
    let box = Unmanaged.passUnretained(observer as AnyObject).toOpaque()
    sqlite3_trace_v2(
      connection,
      UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE),
      { event, context, statement, detail in
        guard let context, let statement else { return 0 }
        let object = Unmanaged<AnyObject>.fromOpaque(context).takeUnretainedValue()
        guard let observer = object as? any StatementObserver else { return 0 }
        let traced = TracedStatement(OpaquePointer(statement))
        switch Int32(bitPattern: event) {
        case SQLITE_TRACE_STMT:
          // What a trigger or a virtual table runs within another statement is a comment here.
          let text = detail.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
          if text?.hasPrefix("--") != true { observer.starts(traced) }
        case SQLITE_TRACE_ROW: observer.givesRow(traced)
        default: observer.ends(traced)
        }
        return 0
      },
      box
    )
  }
}
