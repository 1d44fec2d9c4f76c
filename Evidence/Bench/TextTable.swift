import Basics

/// Rows of cells in columns of fixed widths, as terminals show them.
struct TextTable: Sendable {
  enum Alignment: Sendable {
    case left, right
  }

  /// What happens to a cell that is wider than its column.
  enum Overflow: Sendable {
    /// The middle of the cell is cut out; figures on the right are never cut.
    case shorten
    /// The cell takes the room it needs, and its row is wider.
    case widen
  }

  struct Column: Sendable {
    var title: String
    var width: Int
    var alignment: Alignment
    /// Blanks before the column; `nil` for those of the table.
    var gap: Int?

    init(_ title: String = "", width: Int, alignment: Alignment = .left, gap: Int? = nil) {
      (self.title, self.width, self.alignment, self.gap) = (title, width, alignment, gap)
    }

    static func left(_ title: String = "", _ width: Int, gap: Int? = nil) -> Column {
      Column(title, width: width, gap: gap)
    }

    static func right(_ title: String = "", _ width: Int, gap: Int? = nil) -> Column {
      Column(title, width: width, alignment: .right, gap: gap)
    }
  }

  var columns: [Column]
  /// Blanks between columns.
  var gap: Int
  /// Blanks before each row, unless it has a mark.
  var margin: Int
  var overflow: Overflow

  init(_ columns: [Column], gap: Int = 1, margin: Int = 0, overflow: Overflow = .shorten) {
    (self.columns, self.gap, self.margin, self.overflow) = (columns, gap, margin, overflow)
  }

  /// The width of a whole row.
  var width: Int {
    columns.enumerated().reduce(margin) { $0 + gapWidth(before: $1.offset) + $1.element.width }
  }

  /// The titles of the columns.
  var header: String { line(columns.map(\.title)) }

  /// A line between parts of the table.
  var rule: String { Self.rule(width: width) }

  static func rule(width: Int) -> String { String(repeating: "─", count: max(0, width)) }

  /// A row without blanks at its end; `mark` takes the place of the margin.
  func line(_ cells: [String], mark: String = "") -> String {
    var line = mark.padded(to: margin)
    for (index, (column, cell)) in zip(columns, cells).enumerated() {
      line += .blanks(gapWidth(before: index))
      let text = TerminalText.plain(cell)
      let isCut = overflow == .shorten && column.alignment == .left
      let shown = isCut ? TerminalText.shortened(text, to: column.width) : text
      let blanks = String.blanks(column.width - TerminalText.width(shown))
      line += column.alignment == .left ? shown + blanks : blanks + shown
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  private func gapWidth(before index: Int) -> Int {
    columns[index].gap ?? (index == 0 ? 0 : gap)
  }
}

extension TerminalText {
  /// The text cut to a width, the middle replaced by `…`, as the ends of an ID tell most.
  static func shortened(_ text: String, to limit: Int) -> String {
    guard width(text) > limit else { return text }
    guard limit > 1 else { return limit == 1 ? "…" : "" }
    let head = prefix(of: text, width: limit / 2)
    let tail = prefix(of: String(text.reversed()), width: limit - 1 - width(head))
    return head + "…" + String(tail.reversed())
  }
}
