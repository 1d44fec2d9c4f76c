import Basics

/// A text table with columns of fixed widths, for terminals.
struct TextTable: Sendable {
  enum Alignment: Sendable {
    case left, right
  }

  enum Overflow: Sendable {
    /// Replaces the middle of the cell by an ellipsis; right-aligned cells are never shortened.
    case shorten
    /// Makes the row wider, so that the cell is shown in full.
    case widen
  }

  struct Column: Sendable {
    var title: String
    var width: Int
    var alignment: Alignment

    static func left(_ title: String, _ width: Int) -> Column {
      Column(title: title, width: width, alignment: .left)
    }

    static func right(_ title: String, _ width: Int) -> Column {
      Column(title: title, width: width, alignment: .right)
    }
  }

  var columns: [Column]
  var gap: Int
  /// The number of blanks before a row that has no mark.
  var margin: Int
  var overflow: Overflow

  init(_ columns: [Column], gap: Int = 1, margin: Int = 0, overflow: Overflow = .shorten) {
    (self.columns, self.gap, self.margin, self.overflow) = (columns, gap, margin, overflow)
  }

  var width: Int {
    columns.reduce(margin + gap * max(0, columns.count - 1)) { $0 + $1.width }
  }

  var header: String { line(columns.map(\.title)) }

  var rule: String { Self.rule(width: width) }

  static func rule(width: Int) -> String { String(repeating: "─", count: max(0, width)) }

  /// Returns a row without trailing blanks; `mark` replaces the margin.
  func line(_ cells: [String], mark: String = "") -> String {
    var line = mark.padded(to: margin)
    for (index, (column, cell)) in zip(columns, cells).enumerated() {
      if index > 0 { line += .blanks(gap) }
      let text = TerminalText.plain(cell)
      let isCut = overflow == .shorten && column.alignment == .left
      let shown = isCut ? TerminalText.shortened(text, to: column.width) : text
      let blanks = String.blanks(column.width - TerminalText.width(shown))
      line += column.alignment == .left ? shown + blanks : blanks + shown
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}

extension TerminalText {
  /// Returns the text shortened to a width: `…` replaces the middle, because the ends of an ID
  /// matter most.
  static func shortened(_ text: String, to limit: Int) -> String {
    guard width(text) > limit else { return text }
    guard limit > 1 else { return limit == 1 ? "…" : "" }
    let head = prefix(of: text, width: limit / 2)
    let tail = prefix(of: String(text.reversed()), width: limit - 1 - width(head))
    return head + "…" + String(tail.reversed())
  }
}
