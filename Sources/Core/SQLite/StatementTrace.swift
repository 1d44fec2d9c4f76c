import CSQLite

/// Observes each statement that a connection runs, through SQLite's trace hook; without an observer
/// there is no overhead (https://www.sqlite.org/c3ref/trace_v2.html).
///
/// The calls come from within `sqlite3_step`, so they must not use the connection.
package protocol StatementObserver: AnyObject {
  /// A connection to the file at `path` was opened.
  func opened(_ path: String)
  /// A statement starts, with its parameters bound.
  func starts(_ statement: TracedStatement)
  /// A statement has produced a row.
  func givesRow(_ statement: TracedStatement)
  /// A statement has produced its last row, or was reset before that.
  func ends(_ statement: TracedStatement)
}

/// A statement as its observer sees it; invalid after the call.
package struct TracedStatement {
  private let pointer: OpaquePointer

  fileprivate init(_ pointer: OpaquePointer) { self.pointer = pointer }

  /// An identifier that stays the same from a statement's start to its end.
  package var id: Int { Int(bitPattern: pointer) }

  /// An identifier of the statement's connection.
  package var connection: Int { Int(bitPattern: sqlite3_db_handle(pointer)) }

  /// The statement's SQL; empty for statements that SQLite runs by itself, such as reading the
  /// schema.
  package var sql: String { sqlite3_sql(pointer).map { String(cString: $0) } ?? "" }

  /// Whether the statement runs for the first time since it was compiled.
  package var isFirstRun: Bool { sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_RUN, 0) == 0 }

  /// The SQL with bound values in place of parameters, unless it exceeds SQLite's limit.
  package var expandedSQL: String? {
    guard let text = sqlite3_expanded_sql(pointer) else { return nil }
    defer { sqlite3_free(text) }
    return String(cString: text)
  }

  /// The integer in a column of the current row, or `nil` if the value has another type.
  package func integer(at column: Int) -> Int64? {
    guard column < Int(sqlite3_data_count(pointer)),
      sqlite3_column_type(pointer, Int32(column)) == SQLITE_INTEGER
    else { return nil }
    return sqlite3_column_int64(pointer, Int32(column))
  }
}

extension Connection {
  /// The observer of all connections opened from now on.
  ///
  /// A process that logs statements sets it before it opens its first connection.
  package nonisolated(unsafe) static var commonObserver: (any StatementObserver)?

  /// An identifier that is unique among open connections and equal to
  /// ``TracedStatement/connection``.
  package var identity: Int { Int(bitPattern: handle.pointer) }

  /// The observer of each statement that runs; `nil` unless the process logs statements.
  package var observer: (any StatementObserver)? { handle.observer }

  /// Registers an observer for all statements that run from now on.
  package func observe(_ observer: any StatementObserver) {
    handle.observer = observer
    StatementTally.trace(handle.pointer, for: observer)
    observer.opened(path)
  }
}

/// Counts the statements that connections run, whichever library opened them, in the order of their
/// first run.
package final class StatementTally: StatementObserver {
  /// The counts for one SQL string.
  package struct Entry: Hashable, Sendable {
    package let sql: String
    /// The numbers of times that the SQL was compiled and run.
    package fileprivate(set) var compiled = 0
    package fileprivate(set) var runs = 0
    /// The number of rows that the statement returned.
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

  /// Registers an observer for all statements of a connection; the observer must outlive the
  /// connection.
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
          // Skip statements within another statement, such as those of triggers, for which SQLite
          // passes a comment.
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
