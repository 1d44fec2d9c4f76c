/// A rule that makes the values of one attribute.
///
/// A value depends on the row number and the draws of its cell only.
protocol CellGenerator: Sendable {
  /// Sets the cell to the value of one row.
  func fill(_ cell: inout Cell, row: Int, draws: inout Draws)
}

/// A rule that makes texts, which other texts can contain.
protocol TextGenerator: CellGenerator {
  /// Appends the UTF-8 of one row's text.
  func append(to text: inout [UInt8], row: Int, draws: inout Draws)
}

extension TextGenerator {
  func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
    cell.setText { append(to: &$0, row: row, draws: &draws) }
  }
}
