import Basics

/// The phases in which each case spends its time, as a stacked bar of the median trial.
///
/// The phases come from a single trial, so they add up to the total next to the bar. Names are
/// below the bar; parts whose names do not fit are combined as *other*.
package struct PhaseChart: Chart {
  package struct Row: Sendable {
    package struct Part: Sendable {
      package var name: String
      package var seconds: Double

      package init(name: String, seconds: Double) {
        (self.name, self.seconds) = (name, seconds)
      }
    }

    package var label: String
    package var series: Int
    package var total: Double
    /// The parts in chronological order.
    package var parts: [Part]

    package init(label: String, series: Int, total: Double, parts: [Part]) {
      (self.label, self.series, self.total, self.parts) = (label, series, total, parts)
    }
  }

  package var title: String
  package var rows: [Row]
  package var width = 344.0

  package init(title: String, rows: [Row], width: Double = 344.0) {
    (self.title, self.rows, self.width) = (title, rows, width)
  }

  private static let rowHeight = 58.0
  private static let otherName = "other"

  package var drawing: Drawing {
    let height = Double(rows.count) * Self.rowHeight + 4
    var drawing = Drawing(width: width, height: height, title: title, summary: summary)
    for (index, row) in rows.enumerated() {
      draw(row, at: Double(index) * Self.rowHeight, in: &drawing)
    }
    return drawing
  }

  private func draw(_ row: Row, at top: Double, in drawing: inout Drawing) {
    let total = Figures.seconds(row.total, .significant)
    let room = width - TextWidth.of(total, isStrong: true) - 14
    drawing.text(TextWidth.fitted(row.label, to: room), at: .init(0, top + 15))
    drawing.text(total, at: .init(width, top + 15), "strong", .end)
    var x = 0.0
    let parts = named(row)
    for (index, part) in parts.enumerated() where row.total > 0 {
      let wide = part.seconds / row.total * width
      let series = "s\(min(row.series, 5))"
      drawing.rectangle(
        x: x,
        y: top + 21,
        width: wide,
        height: 15,
        series,
        value: Self.text(part, of: row.total)
      )
      // Hatch every second part to separate the parts.
      if index % 2 == 1 {
        drawing.hatch(x: x, y: top + 21, width: wide, height: 15, step: 6, "hatch")
      }
      x += wide
    }
    let names = TextWidth.fitted(text(of: parts, row), to: width, size: TextWidth.tick)
    drawing.text(names, at: .init(0, top + 50), "tick")
  }

  private func named(_ row: Row) -> [Row.Part] {
    let largest = row.parts.sorted { $0.seconds > $1.seconds }.map(\.name)
    let choices = (1...max(largest.count, 1)).map { count -> [Row.Part] in
      let shown = Set(largest.prefix(count))
      let rest = row.parts.filter { !shown.contains($0.name) }.reduce(0) { $0 + $1.seconds }
      return row.parts.filter { shown.contains($0.name) }
        + (rest > 0 ? [.init(name: Self.otherName, seconds: rest)] : [])
    }
    let fitting = choices.last {
      TextWidth.of(text(of: $0, row), size: TextWidth.tick) <= width
    }
    return fitting ?? choices[0]
  }

  private func text(of parts: [Row.Part], _ row: Row) -> String {
    parts.map { Self.text($0, of: row.total) }.joined(separator: "; ")
  }

  private static func text(_ part: Row.Part, of total: Double) -> String {
    let share = total > 0 ? part.seconds / total : 0
    return "\(part.name) \(Figures.seconds(part.seconds, .significant)) · \(share.percent)"
  }

  private var summary: String {
    rows.map { row in
      let parts = row.parts.map { Self.text($0, of: row.total).replacing(" · ", with: ", ") }
      return "\(row.label): \(Figures.seconds(row.total, .significant)), of which "
        + parts.joined(separator: "; ")
    }.joined(separator: ". ") + "."
  }
}
