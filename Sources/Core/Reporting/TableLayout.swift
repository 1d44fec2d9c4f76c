import Basics

/// Lays out a table within a width: with cells side by side, with wrapped cells, or with a block of
/// lines per row.
struct TableLayout {
  private struct Column {
    var head: String
    var isNumeric: Bool
    /// The width in terminal columns; 0 if the column's cells are printed below their rows.
    var width = 0
  }

  private typealias Cell = (text: String, ink: Ink)

  private static let gap = 2
  /// The maximum width, in terminal columns, that a text column reserves for its longest word.
  private static let longestWord = 16

  private let width: Int
  private var columns: [Column]
  private let rows: [[Cell]]
  private var isFolded = false

  init(_ table: Report.Table, width: Int) {
    let written = table.written
    self.width = width
    columns = zip(written.heads, table.columns).map {
      Column(head: TerminalText.plain($0), isNumeric: $1.isNumeric)
    }
    rows = written.rows.map { row in
      row.map { (TerminalText.plain($0.text.plain), Ink($0.tone)) }
    }
    setWidths(movingBelow: table.columns.map { $0.kind == .code })
  }

  private mutating func setWidths(movingBelow isMovable: [Bool]) {
    let natural = columns.indices.map { index in
      max(headWidth(index, isWrapped: false), cellWidth(index))
    }
    for index in columns.indices { columns[index].width = natural[index] }
    if used <= width { return }
    // Keep the first column in place, because it identifies the row.
    for index in columns.indices.dropFirst() where isMovable[index] { columns[index].width = 0 }
    if used <= width { return }
    let least = columns.indices.map { index in
      let words = max(headWidth(index, isWrapped: true), longestWord(index))
      return columns[index].isNumeric
        ? max(headWidth(index, isWrapped: true), cellWidth(index)) : min(words, natural[index])
    }
    for index in columns.indices where columns[index].width > 0 {
      columns[index].width = least[index]
    }
    guard used <= width else {
      isFolded = true
      return
    }
    // The remaining width goes first to text columns that need it, the narrowest first, then to
    // headings.
    while used < width {
      let wanting = columns.indices.filter {
        columns[$0].width > 0 && columns[$0].width < natural[$0]
      }
      let words = wanting.filter { !columns[$0].isNumeric }
      let narrowest = (words.isEmpty ? wanting : words).min {
        columns[$0].width < columns[$1].width
      }
      guard let narrowest else { break }
      columns[narrowest].width += 1
    }
  }

  private var used: Int {
    let shown = columns.filter { $0.width > 0 }
    return shown.reduce(0) { $0 + $1.width } + Self.gap * max(shown.count - 1, 0)
  }

  private func headWidth(_ index: Int, isWrapped: Bool) -> Int {
    let head = columns[index].head
    guard isWrapped else { return TerminalText.width(head) }
    return head.split(separator: " ").map { TerminalText.width(String($0)) }.max() ?? 0
  }

  private func cellWidth(_ index: Int) -> Int {
    // Give even an empty column a width, because 0 means that its cells are below their rows.
    max(1, rows.map { TerminalText.width($0[index].text) }.max() ?? 0)
  }

  private func longestWord(_ index: Int) -> Int {
    let words = rows.lazy.flatMap { $0[index].text.split(separator: " ") }
    return min(words.map { TerminalText.width(String($0)) }.max() ?? 1, Self.longestWord)
  }

  func lines(_ palette: Palette) -> [String] {
    if isFolded { return rows.flatMap { block($0, palette) } }
    let heads = line(columns.map { ($0.head, .faint) }, palette, alignsAtBottom: true)
    return (columns.allSatisfy { $0.head.isEmpty } ? [] : heads)
      + rows.flatMap { row in line(row, palette) + below(row, palette) }
  }

  private func line(
    _ cells: [Cell],
    _ palette: Palette,
    alignsAtBottom: Bool = false
  ) -> [String] {
    let shown = columns.indices.filter { columns[$0].width > 0 }
    let wrapped = shown.map { TerminalText.wrapped(cells[$0].text, to: columns[$0].width) }
    let height = max(wrapped.map(\.count).max() ?? 0, 1)
    return (0..<height).map { number in
      var line = ""
      var end = 0
      for (place, index) in shown.enumerated() {
        let first = alignsAtBottom ? height - wrapped[place].count : 0
        let part = number - first
        guard wrapped[place].indices.contains(part) else { continue }
        let text = wrapped[place][part]
        let column = columns[index]
        let start = shown.prefix(place).reduce(0) { $0 + columns[$1].width + Self.gap }
        let blanks = column.isNumeric ? column.width - TerminalText.width(text) : 0
        line += .blanks(start + blanks - end) + palette.paint(text, cells[index].ink)
        end = start + blanks + TerminalText.width(text)
      }
      return line
    }
  }

  private func below(_ row: [Cell], _ palette: Palette) -> [String] {
    columns.indices.filter { columns[$0].width == 0 && !row[$0].text.isEmpty }.flatMap { index in
      palette.wrapped(row[index].text, to: width, indent: 4, ink: .faint)
    }
  }

  private func block(_ row: [Cell], _ palette: Palette) -> [String] {
    guard let first = row.first else { return [] }
    let others = columns.indices.dropFirst().filter { !row[$0].text.isEmpty }
    let parts = others.map { index in
      let head = columns[index].head
      return head.isEmpty ? row[index].text : "\(head): \(row[index].text)"
    }
    let ink = others.map { row[$0].ink }.first { $0 != .plain && $0 != .faint } ?? .plain
    return palette.wrapped(first.text, to: width, ink: first.ink)
      + TerminalText.lines(of: parts, separator: " · ", to: width - 4).map {
        .blanks(4) + palette.paint($0, ink)
      }
  }
}
