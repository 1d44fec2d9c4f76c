extension ObservedMigration {
  private static let mostSeconds = 1e7

  /// Reads a table of migrations: `duration_seconds` or `seconds`, the store's size or counts of
  /// its entities, and `device` where it is known.
  ///
  /// - Throws: ``ForecastingError`` with the line of what is wrong.
  package static func read(csv text: String, path: String, scale: SizeScale) throws
    -> [ObservedMigration]
  {
    let table = try SizeTable(text, path: path)
    guard let seconds = table.column("duration_seconds", "seconds", "duration") else {
      throw ForecastingError.unknownColumns(
        path: path,
        found: table.columns,
        expected: "'duration_seconds', and \(SizeColumns.expected)"
      )
    }
    let columns = try SizeColumns(table, but: [], scale: scale)
    let device = table.column("device")
    return try table.rows.map { row in
      let expected = "a time above 0 in seconds"
      let time = try table.number(row, seconds, upTo: mostSeconds, expected)
      let objects = try columns.objects(row)
      guard time > 0, objects >= 1 else {
        let column = time > 0 ? "objects" : table.columns[seconds]
        throw ForecastingError.badNumber(
          path: path,
          line: row.line,
          column: column,
          text: "0",
          expected: time > 0 ? "at least 1" : expected
        )
      }
      return ObservedMigration(
        objects: objects,
        seconds: time,
        device: device.map { String(row.fields[$0]) } ?? ""
      )
    }
  }
}
