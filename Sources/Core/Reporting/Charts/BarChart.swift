import Basics

/// A bar chart of amounts; every bar starts at zero.
package struct BarChart: Chart {
  package struct Row: Sendable {
    package var label: String
    package var amount: Double
    /// The text at the end of the bar.
    package var text: String

    package init(label: String, amount: Double, text: String) {
      (self.label, self.amount, self.text) = (label, amount, text)
    }
  }

  package var title: String
  package var rows: [Row]
  package var width = 344.0

  package init(title: String, rows: [Row], width: Double = 344.0) {
    (self.title, self.rows, self.width) = (title, rows, width)
  }

  private var isWide: Bool { width > 700 }
  private var rowHeight: Double { isWide ? 26 : 38 }

  package var drawing: Drawing {
    let height = Double(rows.count) * rowHeight + 4
    var drawing = Drawing(width: width, height: height, title: title, summary: summary)
    let most = rows.map(\.amount).max() ?? 1
    let labels = min(rows.map { TextWidth.of($0.label) }.max() ?? 0, width * 0.4)
    let values = rows.map { TextWidth.of($0.text, isStrong: true) }.max() ?? 0
    let start = isWide ? labels + 16 : 0
    let reach = isWide ? width - values - 12 - start : width
    for (index, row) in rows.enumerated() {
      let top = Double(index) * rowHeight
      let room =
        isWide ? labels + 2 : width - TextWidth.of(row.text, isStrong: true) - 14
      let line = isWide ? top + 17 : top + 15
      drawing.text(TextWidth.fitted(row.label, to: room), at: .init(0, line))
      drawing.text(row.text, at: .init(width, line), "strong", .end)
      let y = isWide ? top + 7 : top + 21
      let height = isWide ? 13.0 : 10
      let wide = most > 0 ? row.amount / most * reach : 0
      drawing.rectangle(
        x: start,
        y: y,
        width: max(wide, row.amount > 0 ? 1 : 0),
        height: height,
        "s1",
        value: "\(row.label): \(row.text)"
      )
    }
    return drawing
  }

  private var summary: String {
    rows.map { "\($0.label): \($0.text)" }.joined(separator: "; ") + "."
  }
}
