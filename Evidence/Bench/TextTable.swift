import Basics

/// A text table with columns of fixed widths, for terminals.
struct TextTable: Sendable {
  enum Alignment: Sendable {
    case left, right
  }

  /// The treatment of a cell that is wider than its column.
  enum Overflow: Sendable {
    /// Cuts the middle out of the cell; right-aligned cells are never cut.
    case shorten
    /// Makes the row wider, so that the cell is shown in full.
    case widen
  }

  struct Column: Sendable {
    var title: String
    var width: Int
    var alignment: Alignment
    /// The number of blanks before the column; `nil` for the table's `gap`.
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
  /// The number of blanks between columns.
  var gap: Int
  /// The number of blanks before each row without a mark.
  var margin: Int
  var overflow: Overflow

  init(_ columns: [Column], gap: Int = 1, margin: Int = 0, overflow: Overflow = .shorten) {
    (self.columns, self.gap, self.margin, self.overflow) = (columns, gap, margin, overflow)
  }

  /// The width of a whole row in characters.
  var width: Int {
    columns.enumerated().reduce(margin) { $0 + gapWidth(before: $1.offset) + $1.element.width }
  }

  /// The row with the titles of the columns.
  var header: String { line(columns.map(\.title)) }

  /// A horizontal line between parts of the table.
  var rule: String { Self.rule(width: width) }

  static func rule(width: Int) -> String { String(repeating: "─", count: max(0, width)) }

  /// A row without trailing blanks; `mark` replaces the margin.
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
  /// The text shortened to a width: `…` replaces the middle, because the ends of an ID matter most.
  static func shortened(_ text: String, to limit: Int) -> String {
    guard width(text) > limit else { return text }
    guard limit > 1 else { return limit == 1 ? "…" : "" }
    let head = prefix(of: text, width: limit / 2)
    let tail = prefix(of: String(text.reversed()), width: limit - 1 - width(head))
    return head + "…" + String(tail.reversed())
  }
}
