/// What a few rows of one property hold instead of what its rule makes.
///
/// A writer asks `contains` for every row and `apply` only where it is true.
final class PropertyChanges: Sendable {
  /// Which of a property's columns a value is for.
  enum Part: Hashable, Sendable {
    /// An attribute's value, or the key of a to-one's target.
    case value
    /// The entity number beside a key.
    case entityNumber
    /// The order key beside a key.
    case order
  }

  private let edits: TextEdits?
  private let defects: DefectRows?
  private let values: DefectiveValues
  private let rows: RowSet

  init(edits: TextEdits?, defects: DefectRows?, values: DefectiveValues, rowCount: Int) {
    self.edits = edits
    self.defects = defects
    self.values = values
    switch (edits, defects) {
    case (nil, let defects?): rows = defects.rows
    case (let edits?, nil): rows = edits.rows
    default:
      rows = RowSet(
        ascending: (0..<rowCount).lazy.filter { row in
          edits?.rows.contains(row) == true || defects?.rows.contains(row) == true
        },
        count: rowCount
      )
    }
  }

  /// The rows with defects, in row order.
  var entries: [DefectRows.Entry] { defects?.entries ?? [] }

  /// The edits of a near copy, made in a cell that holds what the rule makes.
  func edit(_ cell: inout Cell, row: Int) -> [TextEdit] {
    edits?.apply(to: &cell, row: row) ?? []
  }

  @inline(__always)
  func contains(_ row: Int) -> Bool { rows.contains(row) }

  /// Changes a cell that holds what the rule makes for a row that is contained.
  func apply(to cell: inout Cell, row: Int, part: Part = .value) {
    if part == .value { edits?.apply(to: &cell, row: row) }
    if let entry = defects?.entry(of: row) { values.apply(entry, to: &cell, part: part) }
  }
}
