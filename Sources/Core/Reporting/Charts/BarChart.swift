import Basics

/// Amounts as bars from zero, a part of each hatched.
package struct BarChart: Chart {
  package struct Row: Sendable {
    package var label: String
    package var amount: Double
    /// How much of it is hatched.
    package var part: Double = 0
    /// What stands at the end of the bar.
    package var text: String

    package init(label: String, amount: Double, part: Double = 0, text: String) {
      (self.label, self.amount, self.part, self.text) = (label, amount, part, text)
    }
  }

  package var title: String
  package var rows: [Row]
  package var width = 344.0

  package init(title: String, rows: [Row], width: Double = 344.0) {
    (self.title, self.rows, self.width) = (title, rows, width)
  }

  private static let rowHeight = 38.0

  package var drawing: Drawing {
    let height = Double(rows.count) * Self.rowHeight + 4
    var drawing = Drawing(width: width, height: height, title: title, summary: summary)
    let most = rows.map(\.amount).max() ?? 1
    for (index, row) in rows.enumerated() {
      let top = Double(index) * Self.rowHeight
      let room = width - TextWidth.of(row.text, isStrong: true) - 14
      drawing.text(TextWidth.fitted(row.label, to: room), at: .init(0, top + 15))
      drawing.text(row.text, at: .init(width, top + 15), "strong", .end)
      let wide = most > 0 ? row.amount / most * width : 0
      drawing.rectangle(
        x: 0,
        y: top + 21,
        width: max(wide, row.amount > 0 ? 1 : 0),
        height: 10,
        "s1",
        value: "\(row.label): \(row.text)"
      )
      let part = most > 0 ? row.part / most * width : 0
      drawing.hatch(x: wide - part, y: top + 21, width: part, height: 10, step: 5, "hatch")
    }
    return drawing
  }

  private var summary: String {
    rows.map { "\($0.label): \($0.text)" }.joined(separator: "; ") + "."
  }
}
