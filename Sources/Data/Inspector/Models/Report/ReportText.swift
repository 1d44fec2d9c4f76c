import Basics
import Reporter

/// The lines of a report for a terminal, wrapped between words.
struct ReportText {
  private let width: Int
  private(set) var lines: [String] = []
  private var sources: [RuleSource] = []

  init(width: Int) {
    // Narrower terminals wrap by themselves.
    self.width = max(40, width)
  }

  var text: String { lines.joined(separator: "\n") + "\n" }

  /// A heading after an empty line.
  mutating func heading(_ title: String) {
    if !lines.isEmpty { lines.append("") }
    lines.append(TerminalText.plain(title))
  }

  /// A paragraph; `mark` stands before its first line.
  mutating func paragraph(_ text: String, indent: Int = 2, mark: String = "") {
    let first = String(repeating: " ", count: indent) + mark
    let rest = String(repeating: " ", count: first.count)
    // Names come from files of others, with whatever is in them.
    for (index, line) in TerminalText.wrapped(text, to: width - first.count).enumerated() {
      lines.append((index == 0 ? first : rest) + line)
    }
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
    let widest = min(width / 2, rows.map(\.name.count).max() ?? 0)
    for row in rows {
      let (name, value) = (TerminalText.plain(row.name), TerminalText.plain(row.value))
      let padding = String(repeating: " ", count: max(0, widest - name.count))
      let line = String(repeating: " ", count: indent) + name + padding + "  " + value
      lines.append(value.isEmpty ? String(repeating: " ", count: indent) + name : line)
    }
  }

  /// The number under which the report names a source at its end.
  mutating func number(of source: RuleSource) -> String {
    guard source.url != nil else { return "[assumed]" }
    if let index = sources.firstIndex(of: source) { return "[\(index + 1)]" }
    sources.append(source)
    return "[\(sources.count)]"
  }

  /// The sources that the report has named.
  mutating func addSources() {
    guard !sources.isEmpty else { return }
    heading("SOURCES")
    for (index, source) in sources.enumerated() {
      paragraph("\(source.title) (\(source.evidence.rawValue))", mark: "[\(index + 1)] ")
      if let url = source.url { lines.append("      " + url) }
    }
  }
}
