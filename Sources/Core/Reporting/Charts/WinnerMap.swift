import Basics

/// A chart of the fastest strategy at each size, with one row per operation.
///
/// A filled cell shows a clear winner with its lead. A gray cell shows the marks of all strategies
/// that no other strategy clearly beats. A diamond with an interval, above the row, is a crossover:
/// the size at which the faster of two strategies changes.
package struct WinnerMap: Chart {
  package struct Cell: Sendable {
    /// The numbers of the strategies that no other strategy clearly beats, best first.
    package var best: [Int]
    /// The time of the second-best strategy divided by the clear winner's time; `nil` without a
    /// clear winner.
    package var lead: Double?

    package init(best: [Int], lead: Double? = nil) {
      (self.best, self.lead) = (best, lead)
    }
  }

  package struct Crossover: Sendable {
    /// The crossover's position between columns: 1.5 is halfway between the second and the third
    /// column.
    package var column: Double
    package var interval: ClosedRange<Double>?
    package var size: String
    /// The crossover's interval as text.
    package var range: String

    package init(column: Double, interval: ClosedRange<Double>? = nil, size: String, range: String)
    {
      (self.column, self.interval, self.size, self.range) = (column, interval, size, range)
    }

    package var text: String { "\(size) (\(range))" }
  }

  package struct Row: Sendable {
    package var label: String
    package var cells: [Cell]
    package var crossovers: [Crossover] = []

    package init(label: String, cells: [Cell], crossovers: [Crossover] = []) {
      (self.label, self.cells, self.crossovers) = (label, cells, crossovers)
    }
  }

  package var title: String
  /// The names of the strategies; their numbers start at 1.
  package var names: [String]
  package var columns: [String]
  package var rows: [Row]
  package var width = 344.0

  package init(
    title: String,
    names: [String],
    columns: [String],
    rows: [Row],
    width: Double = 344.0
  ) {
    (self.title, self.names, self.columns, self.rows, self.width) = (
      title, names, columns, rows, width
    )
  }

  private var isWide: Bool { width > 700 }
  private var left: Double { isWide ? width * 0.19 : 0 }
  private var head: Double { isWide ? 16 : 34 }
  private let cellHeight = 26.0

  package var drawing: Drawing {
    let rowHeight = head + cellHeight + 4
    let top = 18.0
    let bottom = top + Double(rows.count) * rowHeight + 4
    let key = key(below: bottom)
    var drawing = Drawing(
      width: width,
      height: (key.last?.at.y ?? bottom) + 12,
      title: title,
      summary: summary
    )
    for entry in key {
      drawing.mark(entry.series, at: .init(entry.at.x + 5, entry.at.y))
      drawing.text(entry.name, at: .init(entry.at.x + 14, entry.at.y + 4), "tick")
    }
    let cellWidth = (width - left) / Double(max(columns.count, 1))
    drawHeads(cellWidth, in: &drawing)
    for (index, row) in rows.enumerated() {
      draw(row, at: top + Double(index) * rowHeight, cellWidth, in: &drawing)
    }
    return drawing
  }

  /// The entries of the legend with their positions.
  ///
  /// The chart contains its legend, because it is also used outside the report.
  private func key(below bottom: Double) -> [(series: Int, name: String, at: Drawing.Point)] {
    var at = Drawing.Point(left, bottom + 16)
    return names.enumerated().filter { !$1.isEmpty }.map { index, name in
      let room = TextWidth.of(name, size: TextWidth.tick) + 32
      if at.x > left, at.x + room - 18 > width { at = .init(left, at.y + 20) }
      defer { at.x += room }
      return (index + 1, name, at)
    }
  }

  private func drawHeads(_ cellWidth: Double, in drawing: inout Drawing) {
    var free = -Double.infinity
    for (index, column) in columns.enumerated() {
      let middle = left + (Double(index) + 0.5) * cellWidth
      let text = isWide ? column : column.replacing("iB", with: "").replacing("B", with: "")
      let half = TextWidth.of(text, size: TextWidth.tick) / 2
      guard middle - half > free + 3 else { continue }
      free = middle + half
      drawing.text(text, at: .init(middle, 12), "tick", .middle)
    }
  }

  private func draw(_ row: Row, at top: Double, _ cellWidth: Double, in drawing: inout Drawing) {
    let y = top + head
    if !row.crossovers.isEmpty {
      // A frame shows that the crossover belongs to the row below it.
      let height = head + cellHeight + 3
      drawing.rectangle(x: 0.5, y: top, width: width - 1, height: height, "frame")
    }
    if isWide {
      drawing.text(TextWidth.fitted(row.label, to: left - 10), at: .init(6, y + 17))
    } else {
      drawing.text(TextWidth.fitted(row.label, to: width - 12), at: .init(6, top + 15))
    }
    for (index, cell) in row.cells.enumerated() {
      draw(cell, x: left + Double(index) * cellWidth, y: y, cellWidth, in: &drawing)
    }
    var taken: [ClosedRange<Double>] = []
    for crossover in row.crossovers {
      draw(crossover, at: y - 7, cellWidth, beside: &taken, in: &drawing)
    }
  }

  private func draw(
    _ cell: Cell,
    x: Double,
    y: Double,
    _ cellWidth: Double,
    in drawing: inout Drawing
  ) {
    guard let first = cell.best.first else { return }
    let middle = Drawing.Point(x + cellWidth / 2, y + cellHeight / 2)
    let style = cell.lead == nil ? "shared" : "s\(min(first, 5))"
    drawing.rectangle(x: x + 1, y: y, width: cellWidth - 2, height: cellHeight, style)
    if let lead = cell.lead {
      let factor = "\(Figures.significant((lead * 10).rounded() / 10))×"
      let name = names.indices.contains(first - 1) ? names[first - 1] : ""
      let long = "\(name) \(factor)"
      let texts = [long, "\(name.prefix(1).uppercased()) \(factor)", factor]
      let text =
        texts.first { TextWidth.of($0, size: TextWidth.tick, isStrong: true) < cellWidth - 6 }
        ?? String(name.prefix(1).uppercased())
      drawing.text(text, at: .init(middle.x, middle.y + 4), "on tick-size", .middle)
    } else {
      let step = min(13, (cellWidth - 8) / Double(cell.best.count))
      let start = middle.x - step * Double(cell.best.count - 1) / 2
      for (index, series) in cell.best.enumerated() {
        let at = Drawing.Point(start + Double(index) * step, middle.y)
        drawing.mark(series, at: at, radius: min(3.6, step / 2.4))
      }
    }
  }

  private func draw(
    _ crossover: Crossover,
    at y: Double,
    _ cellWidth: Double,
    beside taken: inout [ClosedRange<Double>],
    in drawing: inout Drawing
  ) {
    func x(_ column: Double) -> Double {
      left + min(max(column, 0), Double(columns.count)) * cellWidth
    }
    if let interval = crossover.interval {
      let ends = [x(interval.lowerBound), x(interval.upperBound)]
      drawing.line(.init(ends[0], y), .init(ends[1], y), "interval")
      for end in ends { drawing.line(.init(end, y - 4), .init(end, y + 4), "interval") }
    }
    let at = x(crossover.column)
    drawing.polygon(
      [.init(at, y - 5), .init(at + 5, y), .init(at, y + 5), .init(at - 5, y)],
      "dot"
    )
    let behind = max(x(crossover.interval?.upperBound ?? crossover.column), at) + 8
    let before = min(x(crossover.interval?.lowerBound ?? crossover.column), at) - 8
    // Place the text to the right or left of the interval, shortened or omitted if it does not fit:
    // the table below the chart has all crossovers.
    for text in [crossover.text, crossover.size] {
      let room = TextWidth.of(text, size: TextWidth.tick)
      let start = [behind, before - room].first { start in
        start >= 0 && start + room <= width
          && !taken.contains { $0.overlaps(start...start + room) }
      }
      guard let start else { continue }
      taken.append(start...start + room)
      drawing.text(text, at: .init(start, y + 4), "tick halo")
      return
    }
  }

  private var summary: String {
    rows.map { row in
      let cells = zip(columns, row.cells).map { column, cell in
        let best = cell.best.map { names.indices.contains($0 - 1) ? names[$0 - 1] : "" }
        let lead = cell.lead.map { " by \(Figures.significant($0)) times" } ?? ""
        return "\(column): \(best.joined(separator: " or "))\(lead)"
      }
      let crossovers = row.crossovers.map { "; winner changes: \($0.text)" }.joined()
      return "\(row.label): \(cells.joined(separator: ", "))\(crossovers)"
    }.joined(separator: ". ") + "."
  }
}
