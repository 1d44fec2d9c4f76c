import Basics
import Foundation

/// A chart of measured and predicted times against store size, above a histogram of users by store
/// size.
///
/// Both axes are logarithmic.
package struct ForecastChart: Chart {
  package typealias Range = (low: Double, high: Double)

  package struct Point: Sendable {
    package var objects: Double
    package var seconds: Double
    /// The 50 %, 80 % and 90 % prediction intervals; empty for a measured run.
    package var bands: [Range]

    package init(objects: Double, seconds: Double, bands: [Range] = []) {
      (self.objects, self.seconds, self.bands) = (objects, seconds, bands)
    }

    fileprivate var text: String {
      let interval = bands.last.map { " (90 %: \(duration($0.low)) to \(duration($0.high)))" } ?? ""
      return "\(ForecastChart.objects(objects)): \(duration(seconds))\(interval)"
    }
  }

  package struct Budget: Sendable {
    package var seconds: Double
    package var name: String
    /// The share of users who wait longer than the budget; `nil` if no user does, or if the users'
    /// store sizes are unknown.
    package var share: String?
    /// The number of objects in the largest store within the budget; `nil` if stores of every known
    /// size stay within it.
    package var fit: Double?

    package init(seconds: Double, name: String, share: String?, fit: Double?) {
      (self.seconds, self.name, self.share, self.fit) = (seconds, name, share, fit)
    }
  }

  /// A range of store sizes and the number of users whose stores are in it.
  package typealias Bin = (sizes: Range, users: Double)

  package var title: String
  package var series: Int
  package var points: [Point]
  /// The number of objects in the largest measured store.
  package var measuredTo: Double
  /// The ranges of store size (in objects) and time, the same in all charts of a page.
  package var axes: (sizes: ClosedRange<Double>, seconds: ClosedRange<Double>)
  package var runs: [Point] = []
  package var budgets: [Budget] = []
  /// The size and the predicted time of the largest store.
  package var largest: Point?
  package var bins: [Bin] = []
  package var width = 344.0
  /// Whether the chart is full-size, with the users and the largest sizes within each budget below
  /// it, or a small multiple.
  package var isFull = false

  package init(
    title: String,
    series: Int,
    points: [Point],
    measuredTo: Double,
    axes: (sizes: ClosedRange<Double>, seconds: ClosedRange<Double>)
  ) {
    (self.title, self.series, self.points) = (title, series, points)
    (self.measuredTo, self.axes) = (measuredTo, axes)
  }

  private var isWide: Bool { isFull && width > 700 }
  private var color: Int { min(series, 5) }

  private var left: Double { isWide ? 64 : 52 }
  private var right: Double { isWide ? width - 220 : width - 4 }
  private let top = 12.0
  private var bottom: Double { isWide ? 372 : isFull ? 292 : 176 }
  private var hasUsers: Bool { isFull && !bins.isEmpty }
  private var ground: Double { hasUsers ? bottom + 112 : bottom }
  private var height: Double { ground + (isFull ? 22 + 18 * Double(fitting.count) : 38) }

  private var sizes: ChartAxis {
    ChartAxis(
      from: axes.sizes.lowerBound,
      upTo: axes.sizes.upperBound,
      .count,
      isLogarithmic: true,
      from: left,
      to: right
    )
  }

  private var times: ChartAxis {
    ChartAxis(
      from: axes.seconds.lowerBound,
      upTo: axes.seconds.upperBound,
      .seconds,
      isLogarithmic: true,
      from: bottom,
      to: top
    )
  }

  private var fitting: [Budget] {
    budgets.filter { budget in budget.fit.map(axes.sizes.contains) ?? false }
  }

  package var drawing: Drawing {
    var drawing = Drawing(width: width, height: height, title: title, summary: summary)
    drawGround(in: &drawing)
    drawBands(in: &drawing)
    drawBudgets(in: &drawing)
    drawRuns(in: &drawing)
    if isFull {
      drawUsers(in: &drawing)
      drawFitting(in: &drawing)
    } else {
      drawing.text("objects in the store", at: .init(right, bottom + 34), "tick", .end)
    }
    if isWide { drawShares(in: &drawing) }
    return drawing
  }

  private func drawGround(in drawing: inout Drawing) {
    let edge = sizes.position(measuredTo)
    drawing.hatch(
      x: edge,
      y: top,
      width: right - edge,
      height: bottom - top,
      step: isWide ? 12 : 9,
      "unmeasured"
    )
    drawing.horizontalGrid(times, left: left, right: right)
    for tick in sizes.ticks {
      let x = sizes.position(tick)
      drawing.line(.init(x, top), .init(x, ground), "grid")
    }
    drawing.verticalGrid(sizes, top: ground, bottom: ground)
    drawing.line(.init(edge, top), .init(edge, bottom), "axis")
    guard isFull else { return }
    let y = bottom - 7
    drawing.text("measured", at: .init(edge - 6, y), "tick halo", .end)
    let words = ["extrapolated: larger than all measured stores", "extrapolated"]
    let text = words.first { TextWidth.of($0, size: TextWidth.tick) < right - edge - 10 }
    if let text { drawing.text(text, at: .init(edge + 6, y), "tick halo") }
  }

  private func drawBands(in drawing: inout Drawing) {
    for (index, style) in ["b50", "b80", "b90"].enumerated().reversed() {
      let upper = points.map { point in
        self.point(point.objects, point.bands[index].high)
      }
      let lower = points.map { point in
        self.point(point.objects, point.bands[index].low)
      }
      guard upper.count > 1 else { continue }
      drawing.polygon(upper + lower.reversed(), "s\(color) \(style)")
    }
    let line = points.map { ($0.objects, point($0.objects, $0.seconds)) }
    drawing.path(line.filter { $0.0 <= measuredTo }.map(\.1), "l\(color) full")
    let ahead = line.filter { $0.0 >= measuredTo }.map(\.1)
    let last = line.last { $0.0 <= measuredTo }.map { [$0.1] } ?? []
    drawing.path(last + ahead, "l\(color) ahead")
    for point in points {
      drawing.hover(at: self.point(point.objects, point.seconds), point.text)
    }
  }

  private func point(_ objects: Double, _ seconds: Double) -> Drawing.Point {
    .init(sizes.position(objects), times.position(seconds))
  }

  private func drawRuns(in drawing: inout Drawing) {
    for run in runs {
      drawing.mark(
        series,
        at: point(run.objects, run.seconds),
        radius: isFull ? 2.8 : 2,
        "trial",
        value: run.text
      )
    }
    guard let largest, let range = largest.bands.last else { return }
    let x = sizes.position(largest.objects)
    drawing.line(
      .init(x, times.position(range.low)),
      .init(x, times.position(range.high)),
      "median"
    )
    let y = times.position(largest.seconds)
    drawing.polygon(
      [.init(x, y - 6), .init(x + 6, y), .init(x, y + 6), .init(x - 6, y)],
      "dot",
      "\(Int(largest.objects.rounded()).grouped) objects: \(duration(largest.seconds))"
    )
  }

  private func drawBudgets(in drawing: inout Drawing) {
    for budget in budgets where axes.seconds.contains(budget.seconds) {
      let y = times.position(budget.seconds)
      drawing.line(.init(left, y), .init(right, y), "limit")
      let text = label(of: budget)
      let room = right - left - 8
      drawing.text(
        TextWidth.fitted(text, to: room, isStrong: true),
        at: .init(left + 4, y - 6),
        "strong halo"
      )
    }
  }

  /// The label of a budget's line; it includes the share of users only if there is no room next to
  /// the chart.
  private func label(of budget: Budget) -> String {
    let time = duration(budget.seconds)
    if isWide || bins.isEmpty {
      return budget.name.isEmpty ? time : "\(time) · \(budget.name)"
    }
    return "\(time): \(budget.share.map { "\($0) of users" } ?? "no user") over"
  }

  private func drawUsers(in drawing: inout Drawing) {
    guard hasUsers else { return }
    let most = bins.map(\.users).max() ?? 1
    let limit = budgets.compactMap(\.fit).min() ?? .infinity
    let users = bins.reduce(0) { $0 + $1.users }
    drawing.text(
      users > 1.5 ? "\(Int(users).grouped) users by store size" : "users by store size",
      at: .init(left, bottom + 22),
      "tick"
    )
    for bin in bins where bin.users > 0 {
      let start = sizes.position(bin.sizes.low)
      let tall = max(bin.users / most * 80, 1.5)
      drawing.rectangle(
        x: start,
        y: ground - tall,
        width: max(sizes.position(bin.sizes.high) - start - 1, 1),
        height: tall,
        bin.sizes.low >= limit ? "s\(color)" : "users",
        value: "\(Self.objects(bin.sizes.low)) to \(Self.objects(bin.sizes.high)): "
          + (users > 1.5 ? "\(Int(bin.users)) users" : (bin.users / users).percent)
      )
    }
    drawing.line(.init(left, ground), .init(right, ground), "axis")
  }

  private func drawFitting(in drawing: inout Drawing) {
    for (index, budget) in fitting.enumerated() {
      guard let fit = budget.fit else { continue }
      let x = sizes.position(fit)
      let y = times.position(budget.seconds)
      let base = ground + 34 + 18 * Double(index)
      drawing.line(.init(x, y), .init(x, base - 12), "limit")
      drawing.dot(at: .init(x, y))
      let text = "\(Self.count(fit)) fit in \(duration(budget.seconds))"
      let half = TextWidth.of(text, isStrong: true) / 2
      drawing.text(
        text,
        at: .init(min(max(x, half), width - half), base),
        "strong halo",
        .middle
      )
    }
  }

  private func drawShares(in drawing: inout Drawing) {
    var notes: [(y: Double, head: String, text: String)] = budgets.compactMap { budget in
      guard axes.seconds.contains(budget.seconds) else { return nil }
      let y = times.position(budget.seconds)
      if !bins.isEmpty {
        let time = duration(budget.seconds)
        return budget.share.map { (y, $0, "of users wait over \(time)") }
          ?? (y, "no user", "waits over \(time)")
      }
      guard let fit = budget.fit else { return nil }
      return (y, "\(Self.count(fit)) objects", "fit in \(duration(budget.seconds))")
    }
    if let largest, let range = largest.bands.last {
      notes.append(
        (
          times.position(largest.seconds),
          RangeText.seconds(largest.seconds, range.low, range.high),
          "at \(Int(largest.objects.rounded()).grouped) objects"
        )
      )
    }
    notes.sort { $0.y < $1.y }
    let places = LineChart.apart(notes.map(\.y), by: 40, from: top + 6, to: bottom - 20)
    for (note, place) in zip(notes, places) {
      drawing.path([.init(right + 3, note.y), .init(right + 10, place)], "lead-line")
      let room = width - right - 14
      drawing.text(
        TextWidth.fitted(note.head, to: room, isStrong: true),
        at: .init(right + 14, place),
        "strong"
      )
      drawing.text(
        TextWidth.fitted(note.text, to: room, size: TextWidth.tick),
        at: .init(right + 14, place + 16),
        "tick"
      )
    }
  }

  /// Rounds a number to two significant digits, because it is an estimate.
  private static func count(_ objects: Double) -> String {
    guard objects >= 100 else { return Int(max(objects, 0)).grouped }
    let unit = pow(10, floor(log10(objects)) - 1)
    let rounded = (objects / unit).rounded(.down) * unit
    return rounded >= 1e6 ? "\(Figures.significant(rounded / 1e6)) million" : Int(rounded).grouped
  }

  fileprivate static func objects(_ objects: Double) -> String { "\(count(objects)) objects" }

  private var summary: String {
    let shown = stride(from: 0, to: points.count, by: 8).map { points[$0].text }
    let limits = budgets.map { budget in
      let fit = budget.fit.map { "\(Self.objects($0)) fit" } ?? "every known size fits"
      let share = bins.isEmpty ? "" : ", \(budget.share.map { "\($0) of users" } ?? "no user") over"
      return "\(duration(budget.seconds)): \(fit)\(share)"
    }
    return "Both axes logarithmic. \(shown.joined(separator: "; ")). Measured to "
      + "\(Self.objects(measuredTo)), extrapolated beyond. \(limits.joined(separator: "; "))."
  }
}

private func duration(_ value: Double) -> String { Figures.seconds(value, .significant) }
