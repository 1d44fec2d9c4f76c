import Foundation

extension Population {
  /// Steps in which a quantile function and the bins of a histogram are read.
  static let steps = 20
  private static let mostUsers = 1e11

  /// Reads a table of stores, of quantiles, or a histogram.
  ///
  /// Stores: one line each, with `objects`, `bytes` or counts of entities, and `users` where a line
  /// stands for several. Quantiles: `quantile` from 0 to 1. Histogram: `from`, `to`, `users`, in
  /// objects, or `from_bytes` and `to_bytes`.
  /// - Throws: ``ForecastingError`` with the line of what is wrong.
  package init(csv text: String, path: String, scale: SizeScale) throws {
    let table = try SizeTable(text, path: path)
    let groups: [Group]
    var unread: [String] = []
    if let bins = try SizeBins(table, scale: scale) {
      groups = try bins.groups()
    } else {
      let columns = try SizeColumns(table, but: ["user_count"], scale: scale)
      unread = columns.unread
      if let quantile = table.column("quantile") {
        groups = try Self.quantiles(table, quantile, columns)
      } else {
        groups = try Self.stores(table, columns)
      }
    }
    self.init(groups)
    self.unread = unread
    guard users > 0 else { throw ForecastingError.nobody(path: path) }
  }

  private static func stores(_ table: SizeTable, _ columns: SizeColumns) throws -> [Group] {
    let users = table.column("users", "user_count", "count", "share")
    return try table.rows.map { row in
      Group(objects: try columns.objects(row), users: try weight(of: row, in: table, users))
    }
  }

  static func weight(of row: SizeTable.Row, in table: SizeTable, _ column: Int?) throws
    -> Double
  {
    guard let column else { return 1 }
    return try table.number(row, column, upTo: mostUsers, "a number of users")
  }

  private static func quantiles(
    _ table: SizeTable,
    _ quantile: Int,
    _ columns: SizeColumns
  ) throws -> [Group] {
    var last: (share: Double, objects: Double)?
    var groups: [Group] = []
    for row in table.rows {
      let share = try table.number(row, quantile, upTo: 1, "a quantile from 0 to 1")
      let objects = try columns.objects(row)
      // Below the first quantile nothing is known but that stores are no larger.
      let before = last ?? (0, objects)
      guard share >= before.share, objects >= before.objects, last == nil || share > before.share
      else { throw ForecastingError.quantilesNotRising(path: table.path, line: row.line) }
      let weight = (share - before.share) / Double(steps)
      groups += (0..<steps).map { step in
        let part = (Double(step) + 0.5) / Double(steps)
        return Group(objects: between(before.objects, objects, part), users: weight)
      }
      last = (share, objects)
    }
    if let last, last.share < 1 {
      groups.append(Group(objects: last.objects, users: 1 - last.share))
    }
    return groups
  }

  /// A point between two sizes, evenly by their logarithms, as sizes of stores are spread.
  static func between(_ low: Double, _ high: Double, _ part: Double) -> Double {
    low > 0 ? low * exp(log(high / low) * part) : low + (high - low) * part
  }
}
