import Basics

extension Connection {
  /// The computed columns of an untrusted file, as `TABLE.COLUMN`.
  ///
  /// Read this list before any other query: SQLite evaluates the computed columns of `sqlite_stat1`
  /// while it reads the schema. A single function call in such a column may search a value of one
  /// gigabyte and cannot be interrupted, so values are limited in size during this query, and
  /// repeated calls end after ten seconds.
  ///
  /// - Throws: ``SQLiteError``; its ``SQLiteError/isInterrupted`` is true after ten seconds.
  package func computedColumns() throws -> [String] {
    let end = MonotonicClock.seconds() + 10
    limit(.valueBytes, to: 256 << 10)
    interrupt(every: 1) { MonotonicClock.seconds() > end }
    defer {
      interrupt(every: 0, when: nil)
      limit(.valueBytes, to: .max)
    }
    let row = try prepare(
      "SELECT m.name, x.name FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS x "
        + "WHERE m.type = 'table' AND x.hidden IN (2, 3)"
    )
    var found: [String] = []
    while try row.step() { found.append(row.text(at: 0) + "." + row.text(at: 1)) }
    return found
  }
}
