import Basics

/// Every trial of some cases as a mark, one strip a case, on one axis.
package struct StripChart: Chart {
  package struct Row: Sendable {
    package var label: String
    /// Its color and shape, from 1.
    package var series: Int
    package var trials: [Double]
    /// The middle value, as it is written next to the strip.
    package var median: Double
    /// The ends of a 95 % interval; `nil` for a single trial, and where trials do not differ.
    package var interval: ClosedRange<Double>?

    package init(
      label: String,
      series: Int,
      trials: [Double],
      median: Double,
      interval: ClosedRange<Double>? = nil
    ) {
      (self.label, self.series, self.trials, self.median, self.interval) = (
        label, series, trials, median, interval
      )
    }
  }

  package var title: String
  package var rows: [Row]
  package var quantity: ChartAxis.Quantity
  /// Times are compared by their ratio, memory and disk by their length from zero.
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

  private static let rowHeight = 41.0
  /// Trials of a strip that are drawn; so many more would be one blot.
  private static let mostMarks = 60

  package var drawing: Drawing {
    let bottom = 6 + Double(rows.count) * Self.rowHeight
    var drawing = Drawing(width: width, height: bottom + 24, title: title, summary: summary)
    let values = rows.flatMap { row in
      row.trials + [row.median] + (row.interval.map { [$0.lowerBound, $0.upperBound] } ?? [])
    }
    let axis = ChartAxis(
      over: isLogarithmic ? values : values + [0],
      quantity,
      isLogarithmic: isLogarithmic,
      from: 8,
      to: width - 8
    )
    drawing.verticalGrid(axis, top: 4, bottom: bottom)
    for (index, row) in rows.enumerated() {
      draw(row, at: Double(index) * Self.rowHeight, axis, in: &drawing)
    }
    return drawing
  }

  private func draw(_ row: Row, at top: Double, _ axis: ChartAxis, in drawing: inout Drawing) {
    let value = quantity.text(row.median)
    let room = width - TextWidth.of(value, isStrong: true) - 14
    drawing.text(TextWidth.fitted(row.label, to: room), at: .init(0, top + 15), "halo")
    drawing.text(value, at: .init(width, top + 15), "strong halo", .end)
    let y = top + 31
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
      // A little up and down, so that equal values are seen to be several.
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
      return "\(row.label): median \(quantity.text(row.median))\(range ?? "")"
    }
    return cases.joined(separator: "; ") + "."
      + (isLogarithmic ? " Logarithmic axis." : " Axis from zero.")
  }
}
