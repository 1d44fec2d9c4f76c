/// A histogram of sizes: users by ranges that do not overlap.
struct SizeBins {
  private let table: SizeTable
  private let scale: SizeScale
  private let (from, to, users): (Int, Int, Int)
  private let isInBytes: Bool

  /// Finds the columns; `nil` for a table that is no histogram.
  ///
  /// - Throws: ``ForecastingError`` for one that counts no users.
  init?(_ table: SizeTable, scale: SizeScale) throws {
    let objects = (from: table.column("from"), to: table.column("to"))
    let bytes = (from: table.column("from_bytes"), to: table.column("to_bytes"))
    guard let from = objects.from ?? bytes.from, let to = objects.to ?? bytes.to else { return nil }
    guard let users = table.column("users", "count", "share") else {
      throw ForecastingError.unknownColumns(
        path: table.path,
        found: table.columns,
        expected: "'users' beside '\(table.columns[from])' and '\(table.columns[to])'"
      )
    }
    (self.table, self.scale) = (table, scale)
    (self.from, self.to, self.users) = (from, to, users)
    isInBytes = objects.from == nil
  }

  /// The users of each range, spread evenly by logarithms.
  ///
  /// - Throws: ``ForecastingError`` for ranges that are empty or overlap.
  func groups() throws -> [Population.Group] {
    try check()
    return try table.rows.flatMap { row in
      let (low, high) = (try size(row, from), try size(row, to))
      let weight = try Population.weight(of: row, in: table, users)
      return (0..<Population.steps).map { step in
        let part = (Double(step) + 0.5) / Double(Population.steps)
        return Population.Group(
          objects: Population.between(low, high, part),
          users: weight / Double(Population.steps)
        )
      }
    }
  }

  private func check() throws {
    let ranges = try table.rows.map { row in
      let (low, high) = (try number(row, from), try number(row, to))
      guard high > low else { throw ForecastingError.emptyRange(path: table.path, line: row.line) }
      return (row: row, low: low, high: high)
    }.sorted { $0.low < $1.low }
    for (earlier, later) in zip(ranges, ranges.dropFirst()) where later.low < earlier.high {
      throw ForecastingError.overlappingRanges(
        path: table.path,
        line: later.row.line,
        from: String(later.row.fields[from]),
        last: String(earlier.row.fields[to])
      )
    }
  }

  private func number(_ row: SizeTable.Row, _ column: Int) throws -> Double {
    isInBytes
      ? try table.number(row, column, upTo: SizeColumns.mostBytes, "from 0 to 10^15 bytes")
      : try table.number(row, column, upTo: SizeColumns.mostObjects, "a number of objects")
  }

  private func size(_ row: SizeTable.Row, _ column: Int) throws -> Double {
    let number = try number(row, column)
    return isInBytes ? scale.objects(number) ?? 0 : number
  }
}
