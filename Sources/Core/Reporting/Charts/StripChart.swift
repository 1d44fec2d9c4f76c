import Basics

/// A chart that shows each trial as a mark, each case as a strip on a shared axis, and each budget
/// as a line.
package struct StripChart: Chart {
  package struct Row: Sendable {
    /// The row's group; consecutive rows of one group share a heading above the first row.
    package var group: String
    package var label: String
    /// The index of the color and shape, starting at 1.
    package var series: Int
    package var trials: [Double]
    /// The median, as shown next to the strip.
    package var median: Double
    /// The 95 % interval; `nil` for a single trial, or if all trials are equal.
    package var interval: ClosedRange<Double>?

    package init(
      group: String = "",
      label: String,
      series: Int,
      trials: [Double],
      median: Double,
      interval: ClosedRange<Double>? = nil
    ) {
      (self.group, self.label, self.series, self.trials) = (group, label, series, trials)
      (self.median, self.interval) = (median, interval)
    }
  }

  /// A value that no row should exceed, such as a budget.
  package struct Limit: Sendable {
    package var value: Double
    package var name: String

    package init(value: Double, name: String) { (self.value, self.name) = (value, name) }
  }

  package var title: String
  package var rows: [Row]
  package var limits: [Limit] = []
  package var quantity: ChartAxis.Quantity
  /// Whether the axis is logarithmic, as for times, which are compared by ratio.
  ///
  /// An axis for memory or disk space is linear and starts at zero.
  package var isLogarithmic: Bool
  package var width = 344.0

  package init(
    title: String,
    rows: [Row],
    quantity: ChartAxis.Quantity,
    isLogarithmic: Bool,
    width: Double = 344.0
  ) {
    (self.title, self.rows, self.quantity, self.isLogarithmic, self.width) = (
      title, rows, quantity, isLogarithmic, width
    )
  }

  private var isWide: Bool { width > 700 }
  private var rowHeight: Double { isWide ? 27 : 41 }
  private static let headHeight = 27.0
  /// The maximum number of trials drawn per strip, beyond which the marks would merge.
  private static let mostMarks = 60

  package var drawing: Drawing {
    let heads = rows.indices.count { beginsGroup($0) }
    let top = limits.isEmpty ? 4.0 : 20
    let bottom = top + 2 + Double(rows.count) * rowHeight + Double(heads) * Self.headHeight
    var drawing = Drawing(width: width, height: bottom + 24, title: title, summary: summary)
    let values =
      limits.map(\.value)
      + rows.flatMap { row in
        row.trials + [row.median] + (row.interval.map { [$0.lowerBound, $0.upperBound] } ?? [])
      }
    let axis = ChartAxis(
      over: isLogarithmic ? values : values + [0],
      quantity,
      isLogarithmic: isLogarithmic,
      from: isWide ? labelWidth + 16 : 8,
      to: isWide ? width - valueWidth - 16 : width - 8
    )
    drawing.verticalGrid(axis, top: top, bottom: bottom)
    draw(limits, on: axis, from: top, to: bottom, in: &drawing)
    var y = top
    for (index, row) in rows.enumerated() {
      if beginsGroup(index) {
        let name = TextWidth.fitted(row.group, to: width, isStrong: true)
        drawing.text(name, at: .init(0, y + 19), "strong halo")
        y += Self.headHeight
      }
      draw(row, at: y, axis, in: &drawing)
      y += rowHeight
    }
    return drawing
  }

  private func beginsGroup(_ index: Int) -> Bool {
    !rows[index].group.isEmpty && (index == 0 || rows[index - 1].group != rows[index].group)
  }

  private var labelWidth: Double {
    min(rows.map { TextWidth.of($0.label) }.max() ?? 0, width * 0.4)
  }

  private func value(of row: Row) -> String {
    guard isWide, let interval = row.interval else { return quantity.text(row.median) }
    let ends = [interval.lowerBound, interval.upperBound].map(quantity.text)
    return "\(quantity.text(row.median)) (\(ends[0]) to \(ends[1]))"
  }

  private var valueWidth: Double {
    rows.map { TextWidth.of(value(of: $0), isStrong: true) }.max() ?? 0
  }

  private func draw(
    _ limits: [Limit],
    on axis: ChartAxis,
    from top: Double,
    to bottom: Double,
    in drawing: inout Drawing
  ) {
    var free = -Double.infinity
    for limit in limits.sorted(by: { $0.value < $1.value }) {
      let x = axis.position(limit.value)
      drawing.line(.init(x, top), .init(x, bottom), "limit")
      let half = TextWidth.of(limit.name, size: TextWidth.tick) / 2
      let middle = min(max(x, half), width - half)
      guard middle - half > free + 6 else { continue }
      free = middle + half
      drawing.text(limit.name, at: .init(middle, top - 6), "tick", .middle)
    }
  }

  private func draw(_ row: Row, at top: Double, _ axis: ChartAxis, in drawing: inout Drawing) {
    let value = value(of: row)
    let line = isWide ? top + 18 : top + 15
    let room = isWide ? labelWidth + 2 : width - TextWidth.of(value, isStrong: true) - 14
    drawing.text(TextWidth.fitted(row.label, to: room), at: .init(0, line), "halo")
    drawing.text(value, at: .init(width, line), "strong halo", .end)
    let y = isWide ? top + 14 : top + 31
    drawing.line(.init(axis.start, y), .init(axis.end, y), "grid")
    if let interval = row.interval {
      let left = axis.position(interval.lowerBound)
      let right = axis.position(interval.upperBound)
      drawing.rectangle(
        x: left,
        y: y - 6,
        width: right - left,
        height: 12,
        "s\(min(row.series, 5)) box"
      )
    }
    for (index, trial) in row.trials.prefix(Self.mostMarks).enumerated() {
      // Shift marks slightly up and down, so that equal values remain distinguishable.
      let offset = [0.0, -2, 2, -1, 1][index % 5]
      drawing.mark(
        row.series,
        at: .init(axis.position(trial), y + offset),
        "trial",
        value: quantity.text(trial)
      )
    }
    let x = axis.position(row.median)
    drawing.line(.init(x, y - 9), .init(x, y + 9), "median")
  }

  private var summary: String {
    let cases = rows.map { row in
      let range = zip([row.trials.min()], [row.trials.max()]).compactMap { low, high in
        low.flatMap { low in high.map { (low, $0) } }
      }.first.map { ", trials \(quantity.text($0.0)) to \(quantity.text($0.1))" }
      let name = row.group.isEmpty ? row.label : "\(row.group), \(row.label)"
      return "\(name): median \(quantity.text(row.median))\(range ?? "")"
    }
    return cases.joined(separator: "; ") + "."
      + (isLogarithmic ? " Logarithmic axis." : " Axis from zero.")
  }
}
