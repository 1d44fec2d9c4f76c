import Basics

/// The lines of a report for a terminal, wrapped between words, and the same in parts for a page.
struct ReportText {
  /// What the lines were made of.
  enum Part {
    case heading(String)
    /// With the mark before it.
    case paragraph(String, mark: String)
    case command(String)
    case table([(name: String, value: String)])
  }

  private let width: Int
  private(set) var lines: [String] = []
  private(set) var parts: [Part] = []

  init(width: Int) {
    // Narrower terminals wrap by themselves.
    self.width = max(40, width)
  }

  var text: String { lines.joined(separator: "\n") + "\n" }

  /// A heading after an empty line.
  mutating func heading(_ title: String) {
    if !lines.isEmpty { lines.append("") }
    lines.append(TerminalText.plain(title))
    parts.append(.heading(title))
  }

  /// A paragraph; `mark` stands before its first line.
  mutating func paragraph(_ text: String, indent: Int = 2, mark: String = "") {
    // Names come from files of others, with whatever is in them.
    lines += TerminalText.paragraph(text, to: width, mark: .blanks(indent) + mark)
    parts.append(.paragraph(text, mark: mark))
  }

  /// A command on a line of its own, never broken, so that it can be copied.
  mutating func command(_ line: String, indent: Int) {
    lines.append(.blanks(indent) + TerminalText.plain(line))
    parts.append(.command(line))
  }

  /// A list, of which the first few are shown.
  mutating func list(_ items: [String], indent: Int = 4, most: Int = 40) {
    for item in items.prefix(most) { paragraph(item, indent: indent, mark: "- ") }
    if items.count > most {
      paragraph("and \(items.count - most) more: --format json has them all", indent: indent)
    }
  }

  /// Two columns, the first as wide as its widest text.
  mutating func table(_ rows: [(name: String, value: String)], indent: Int = 2) {
    parts.append(.table(rows))
    let widest = min(width / 2, rows.map(\.name.count).max() ?? 0)
    for row in rows {
      let (name, value) = (TerminalText.plain(row.name), TerminalText.plain(row.value))
      let line = .blanks(indent) + name.padded(to: widest)
      lines.append(value.isEmpty ? .blanks(indent) + name : line + "  " + value)
    }
  }
}
