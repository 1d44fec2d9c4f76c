import Basics
import Reporter

/// Rows of cells in columns of fixed widths.
struct TextTable {
  /// One column: its title, its width, and which side its cells stand on.
  struct Column {
    let title: String
    let width: Int
    var isRight = false
  }

  let columns: [Column]

  var header: String { line(columns.map(\.title)) }

  /// A row; cells that are too wide are cut, but for the last.
  func line(_ cells: [String]) -> String {
    var line = " "
    for (index, (column, cell)) in zip(columns, cells).enumerated() {
      let isLast = index == columns.count - 1
      let text = TerminalText.shortened(TerminalText.plain(cell), to: column.width)
      let gap = String(repeating: " ", count: max(0, column.width - TerminalText.width(text)))
      line += " " + (column.isRight ? gap + text : isLast ? text : text + gap)
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
