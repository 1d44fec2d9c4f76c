import Basics

extension Connection {
  /// The computed columns of a file from outside, as `TABLE.COLUMN`; the first thing to ask of it.
  ///
  /// SQLite evaluates those of `sqlite_stat1` while it reads the schema. One call of a function there
  /// may search a value of a gigabyte, and nothing interrupts it. So values are kept small meanwhile,
  /// and many calls end at a deadline.
  ///
  /// - Throws: ``SQLiteError``; one that ``SQLiteError/isInterrupted`` tells at the deadline.
  package func computedColumns(within seconds: Double = 10) throws -> [String] {
    let end = MonotonicClock.seconds() + seconds
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
