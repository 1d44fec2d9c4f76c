import SQLite

/// Steps over the objects of a table in key order.
package final class ContentCursor {
  /// The shapes of the table's entities, then that of rows of no entity.
  let shapes: [ContentShape]
  private let row: Statement
  private let readers: [RowReader]
  /// The place of a shape by the entity's number.
  private let places: [Int64: Int]

  /// Prepares to read the properties that are named, or all, of the rows that meet an SQL condition
  /// on the table `t`.
  init(
    _ content: StoreContent,
    table: EntityTable,
    properties: Set<String>? = nil,
    condition: String? = nil
  ) throws {
    let entities = try table.entities.map { try content.shape(of: $0) }
    let shapes = (entities + [ContentShape(strayRowsOf: table)]).map { shape in
      properties.map { shape.filtered(to: $0) } ?? shape
    }
    let used = Set(shapes.flatMap(\.columns))
    let columns = table.columns.map(\.name).filter(used.contains)
    let list = (["Z_PK", "Z_ENT", "Z_OPT"] + columns).map(\.quotedColumn).joined(separator: ", ")
    // No index is used, since an index may differ from its table.
    row = try content.connection.prepare(
      "SELECT \(list) FROM \(table.name.quotedName) AS t NOT INDEXED"
        + (condition.map { " WHERE \($0)" } ?? "") + " ORDER BY t.Z_PK"
    )
    var positions = Dictionary(
      columns.enumerated().map { ($1, $0 + RowReader.systemColumns) },
      uniquingKeysWith: { first, _ in first }
    )
    positions["Z_ENT"] = 1
    self.shapes = shapes
    readers = shapes.map { RowReader(shape: $0, columns: positions, content: content) }
    places = Dictionary(
      table.entities.enumerated().map { (Int64(content.layout.numbers[$1] ?? 0), $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The next object; `nil` after the last.
  package func next() throws -> ContentObject? {
    try row.step() ? readers[place].object(row) : nil
  }

  /// Starts a cursor with the condition `t.Z_PK = ?1` anew, at another key.
  func start(at key: Int64) {
    row.reset()
    row.bind(key, at: 1)
  }

  /// Hands the next row to a body with its reader and the place of its shape; false after the last.
  func withNext(_ body: (Int, RowReader, Statement) -> Void) throws -> Bool {
    guard try row.step() else { return false }
    let place = place
    body(place, readers[place], row)
    return true
  }

  /// The digest of the next object; `nil` after the last.
  func nextDigest(_ shape: ObjectDigest.Shape) throws -> UInt64? {
    guard try row.step() else { return nil }
    var digest = ObjectDigest(shape, key: row.integer(at: 0))
    readers[place].add(row, to: &digest) { _ in false }
    return digest.value
  }

  private var place: Int {
    let stray = shapes.count - 1
    guard row.storageClass(at: 1) == .integer else { return stray }
    return places[row.integer(at: 1)] ?? stray
  }
}
