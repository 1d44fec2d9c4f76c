import Basics

/// A chart of relative changes with their intervals; the margin around zero is shaded.
package struct ForestChart: Chart {
  package struct Row: Sendable {
    package var label: String
    /// The relative change: the value under test divided by the reference value, minus 1.
    package var change: Double
    /// The interval on which the verdict is based; `nil` for a value that is the same in every run.
    ///
    /// A bound is infinite if no value is excluded on that side.
    package var interval: ClosedRange<Double>?
    package var verdict: String
    /// Whether the change is good or bad, which the verdict also expresses in words.
    package var tone: Report.Tone

    package init(
      label: String,
      change: Double,
      interval: ClosedRange<Double>? = nil,
      verdict: String,
      tone: Report.Tone = .plain
    ) {
      (self.label, self.change, self.interval) = (label, change, interval)
      (self.verdict, self.tone) = (verdict, tone)
    }
  }

  package var title: String
  package var rows: [Row]
  /// The range of changes around zero within which two sides count as equal.
  package var margin: ClosedRange<Double>?
  package var width = 344.0

  package init(
    title: String,
    rows: [Row],
    margin: ClosedRange<Double>? = nil,
    width: Double = 344.0
  ) {
    (self.title, self.rows, self.margin, self.width) = (title, rows, margin, width)
  }

  private var isWide: Bool { width > 700 }
  private var rowHeight: Double {
    isWide ? (rows.contains { labelLines($0).count > 1 } ? 38 : 28) : 72
  }

  private func labelLines(_ row: Row) -> [String] {
    TextWidth.lines(of: row.label, to: isWide ? width * 0.32 - 12 : width, most: 2)
  }

  private static let less = "← less, better"

  package var drawing: Drawing {
    let top = 46.0
    let bottom = top + Double(rows.count) * rowHeight
    var drawing = Drawing(width: width, height: bottom + 40, title: title, summary: summary)
    let axis = axis
    if let margin {
      let left = axis.position(margin.lowerBound)
      let right = axis.position(margin.upperBound)
      drawing.rectangle(x: left, y: top, width: right - left, height: bottom - top, "margin")
      let text = "margin \(Self.plain(margin.upperBound))"
      // Keep the margin's label, which is centered at zero, clear of the text at the left edge:
      // zero is near that edge if the largest increase is large.
      let half = TextWidth.of(text, size: TextWidth.tick) / 2
      let free = axis.start + TextWidth.of(Self.less, size: TextWidth.tick) + 6 + half
      drawing.text(text, at: .init(max(axis.position(0), free), 14), "tick", .middle)
    }
    // Repeat the labels at the top, because a long chart may not fit on the first screen.
    drawing.verticalGrid(axis, top: top, bottom: bottom, isLabeledAbove: true)
    let zero = axis.position(0)
    drawing.line(.init(zero, top), .init(zero, bottom), "axis")
    for y in [14, bottom + 34] {
      drawing.text(Self.less, at: .init(axis.start, y), "tick")
      drawing.text("more, worse →", at: .init(axis.end, y), "tick", .end)
    }
    for (index, row) in rows.enumerated() {
      draw(row, at: top + Double(index) * rowHeight, axis, in: &drawing)
    }
    return drawing
  }

  private var axis: ChartAxis {
    let ends = rows.flatMap { row in
      [row.change] + (row.interval.map { [$0.lowerBound, $0.upperBound] } ?? [])
    }
    let finite = ends.filter(\.isFinite) + (margin.map { [$0.lowerBound, $0.upperBound] } ?? [])
    // No change is below -100 %, but otherwise neither direction is more likely, so the axis is
    // symmetric.
    let reach = min(max(finite.map(abs).max() ?? 0.01, 0.001) * 1.12, 100)
    return ChartAxis(
      from: max(-reach, -1),
      upTo: reach,
      .change,
      isLogarithmic: false,
      from: isWide ? width * 0.32 : 8,
      to: isWide ? width * 0.70 : width - 8
    )
  }

  private func draw(_ row: Row, at top: Double, _ axis: ChartAxis, in drawing: inout Drawing) {
    let y = isWide ? top + rowHeight / 2 : top + 60
    let label = labelLines(row)
    let first = isWide ? y + 4 - 8 * Double(label.count - 1) : top + 14
    for (index, line) in label.enumerated() {
      drawing.text(line, at: .init(0, first + 16 * Double(index)), "halo")
    }
    let value = Self.bound(row.change)
    let tone = row.tone == .plain ? "" : row.tone.rawValue
    if isWide {
      let words = TextWidth.fitted("\(range(of: row)) · \(row.verdict)", to: width * 0.22)
      drawing.text(value, at: .init(width * 0.775, y + 4), "strong \(tone)", .end)
      drawing.text(words, at: .init(width * 0.785, y + 4), "muted")
    } else {
      let words = TextWidth.fitted("\(value) · \(row.verdict)", to: width, isStrong: true)
      drawing.text(words, at: .init(width, top + 46), "strong halo \(tone)", .end)
    }
    if let interval = row.interval {
      let left = axis.position(interval.lowerBound)
      let right = axis.position(interval.upperBound)
      drawing.line(.init(left, y), .init(right, y), "interval")
      cap(at: left, y, isOpen: interval.lowerBound < axis.low, direction: -1, in: &drawing)
      cap(at: right, y, isOpen: interval.upperBound > axis.high, direction: 1, in: &drawing)
    }
    drawing.mark(
      1,
      at: .init(axis.position(row.change), y),
      radius: 4.5,
      tone,
      value: "\(value) \(range(of: row))"
    )
  }

  private func cap(
    at x: Double,
    _ y: Double,
    isOpen: Bool,
    direction: Double,
    in drawing: inout Drawing
  ) {
    if isOpen {
      let tip = Drawing.Point(x + 5 * direction, y)
      drawing.path([.init(x, y - 4), tip, .init(x, y + 4)], "interval")
    } else {
      drawing.line(.init(x, y - 5), .init(x, y + 5), "interval")
    }
  }

  private func range(of row: Row) -> String {
    guard let interval = row.interval else { return "exact" }
    return "(\(Self.bound(interval.lowerBound)) to \(Self.bound(interval.upperBound)))"
  }

  package static func bound(_ share: Double) -> String {
    guard share.isFinite else { return share < 0 ? "−∞" : "+∞" }
    let size = abs(share * 100)
    let text = Figures.fixed(size, decimals: size < 10 ? 2 : size < 100 ? 1 : 0)
    return (share > 0 ? "+" : share < 0 ? "−" : "") + text + " %"
  }

  private static func plain(_ share: Double) -> String {
    "±\(Figures.significant(share * 100)) %"
  }

  private var summary: String {
    let cases = rows.map { row in
      "\(row.label): \(Self.bound(row.change)) \(range(of: row)), \(row.verdict)"
    }
    return cases.joined(separator: "; ") + "."
  }
}
