import Basics

/// A chart of values against a numeric parameter, with a labeled line for each series.
package struct LineChart: Chart {
  package struct Line: Sendable {
    package var label: String
    package var series: Int
    package var points: [Point]

    package init(label: String, series: Int, points: [Point]) {
      (self.label, self.series, self.points) = (label, series, points)
    }
  }

  package struct Point: Sendable {
    package var x: Double
    package var y: Double
    /// The range of the trials' values at this point.
    package var range: ClosedRange<Double>?

    package init(x: Double, y: Double, range: ClosedRange<Double>? = nil) {
      (self.x, self.y, self.range) = (x, y, range)
    }
  }

  /// A notable value on the horizontal axis that is not measured, such as a recommended limit.
  package struct Guide: Sendable {
    package var x: Double
    package var label: String

    package init(x: Double, label: String) {
      (self.x, self.label) = (x, label)
    }
  }

  package var title: String
  package var lines: [Line]
  package var horizontal: ChartAxis.Quantity
  package var vertical: ChartAxis.Quantity
  /// The title of the horizontal axis.
  package var axisTitle: String
  /// Whether the axes are logarithmic; the horizontal axis is so only if its values span more than
  /// a factor of eight.
  package var isLogarithmic: Bool
  package var guides: [Guide] = []
  /// The labels of the positions 1, 2, … on the horizontal axis; empty if the axis shows numbers.
  package var places: [String] = []
  package var width = 344.0

  package init(
    title: String,
    lines: [Line],
    horizontal: ChartAxis.Quantity,
    vertical: ChartAxis.Quantity,
    axisTitle: String,
    isLogarithmic: Bool,
    guides: [Guide] = [],
    width: Double = 344.0
  ) {
    (
      self.title, self.lines, self.horizontal, self.vertical, self.axisTitle, self.isLogarithmic,
      self.guides, self.width
    ) = (title, lines, horizontal, vertical, axisTitle, isLogarithmic, guides, width)
  }

  private static let height = 250.0
  private static let labelDistance = 15.0

  package var drawing: Drawing {
    let labelRoom = min(
      lines.map { TextWidth.of($0.label, size: TextWidth.tick) }.max() ?? 0,
      width * 0.36
    )
    let bottom = Self.height - 40
    var drawing = Drawing(width: width, height: Self.height, title: title, summary: summary)
    let points = lines.flatMap(\.points)
    let xs = points.map(\.x)
    let isSpread = places.isEmpty && (xs.max() ?? 1) > 8 * (xs.min() ?? 1)
    let ys = points.flatMap { [$0.y] + ($0.range.map { [$0.lowerBound, $0.upperBound] } ?? []) }
    let y = ChartAxis(
      over: isLogarithmic ? ys : ys + [0],
      vertical,
      isLogarithmic: isLogarithmic,
      from: bottom,
      to: 8
    )
    let left =
      8 + (y.ticks.map { TextWidth.of(vertical.text($0), size: TextWidth.tick) }.max() ?? 20)
    let right = width - labelRoom - 26
    let x =
      places.isEmpty
      ? ChartAxis(
        over: isSpread ? xs : xs + [0],
        horizontal,
        isLogarithmic: isSpread,
        from: left,
        to: right
      )
      : ChartAxis(
        from: 0.5,
        upTo: Double(places.count) + 0.5,
        horizontal,
        isLogarithmic: false,
        from: left,
        to: right
      )
    // Label at most ten positions.
    let named = stride(from: 1, through: places.count, by: max(1, (places.count + 9) / 10))
      .map { (value: Double($0), name: places[$0 - 1]) }
    drawing.verticalGrid(x, named: places.isEmpty ? nil : named, top: 8, bottom: bottom)
    drawing.horizontalGrid(y, left: left, right: x.end)
    drawing.text(axisTitle, at: .init(x.end, bottom + 34), "tick", .end)
    for guide in guides where guide.x > x.low && guide.x < x.high {
      let at = x.position(guide.x)
      drawing.line(.init(at, 8), .init(at, bottom), "guide")
    }
    for line in lines { draw(line, x, y, in: &drawing) }
    label(at: x.end, y, room: labelRoom, in: &drawing)
    return drawing
  }

  private func draw(
    _ line: Line,
    _ x: ChartAxis,
    _ y: ChartAxis,
    in drawing: inout Drawing
  ) {
    let points = line.points.map { Drawing.Point(x.position($0.x), y.position($0.y)) }
    drawing.path(points, "l\(min(line.series, 5))")
    for (point, measured) in zip(points, line.points) {
      drawing.mark(
        line.series,
        at: point,
        radius: 3,
        value: "\(line.label), \(text(ofPlace: measured.x)): \(vertical.text(measured.y))"
      )
    }
  }

  private func label(
    at end: Double,
    _ y: ChartAxis,
    room: Double,
    in drawing: inout Drawing
  ) {
    let ends = lines.compactMap { line in
      line.points.last.map { (line: line, y: y.position($0.y)) }
    }.sorted { $0.y < $1.y }
    let places = Self.apart(ends.map(\.y), by: Self.labelDistance, from: 14, to: Self.height - 44)
    for (found, place) in zip(ends, places) {
      drawing.path([.init(end + 4, found.y), .init(end + 14, place)], "lead-line")
      drawing.mark(found.line.series, at: .init(end + 17, place), radius: 2.6)
      drawing.text(
        TextWidth.fitted(found.line.label, to: room, size: TextWidth.tick),
        at: .init(end + 23, place + 4),
        "tick n\(min(found.line.series, 5))"
      )
    }
  }

  /// Moves ascending positions apart, as little as possible, to a minimum distance within two
  /// bounds.
  package static func apart(
    _ places: [Double],
    by distance: Double,
    from low: Double,
    to high: Double
  ) -> [Double] {
    var result = places
    for index in result.indices {
      result[index] = max(result[index], index == 0 ? low : result[index - 1] + distance)
    }
    for index in result.indices.reversed() {
      result[index] = min(
        result[index],
        index == result.count - 1 ? high : result[index + 1] - distance
      )
    }
    return result
  }

  private func text(ofPlace x: Double) -> String {
    guard x >= 1, x < Double(places.count) + 1 else { return horizontal.text(x) }
    return places[Int(x) - 1]
  }

  private var summary: String {
    let texts = lines.map { line in
      let values = line.points.map { "\(text(ofPlace: $0.x)): \(vertical.text($0.y))" }
      return "\(line.label): \(values.joined(separator: ", "))"
    }
    return texts.joined(separator: "; ") + "."
  }
}
