/// The rows of sqlite_schema.
struct SchemaRows: RowSource {
  static let columns: [Affinity] = [.text, .text, .text, .integer, .text]

  let items: [DatabasePlan.Item]
  /// The root page of each item.
  let roots: [Int]

  var chunkCount: Int { 1 }

  func encode(chunk: Int, into rows: inout RowEncoder) throws {
    for (place, item) in items.enumerated() {
      append(item.isTable ? "table" : "index", to: &rows)
      append(item.name, to: &rows)
      append(item.table, to: &rows)
      rows.append(Int64(roots[place]))
      if let sql = item.sql { append(sql, to: &rows) } else { rows.appendNull() }
      try rows.endRow(rowid: Int64(place + 1))
    }
  }

  private func append(_ text: String, to rows: inout RowEncoder) {
    var text = text
    text.withUTF8 { rows.appendText(UnsafeRawBufferPointer($0)) }
  }
}
