import Basics

/// A treemap of amounts: the area of each part is proportional to its amount.
///
/// The areas are arranged in rows, the largest first, and are as close to squares as possible.
package struct SizeMap: Chart {
  package struct Part: Sendable {
    package var name: String
    package var amount: Double
    /// The text below the part's name.
    package var text: String
    /// The number of the color, starting at 1; parts of the same kind have the same color.
    package var series: Int

    package init(name: String, amount: Double, text: String, series: Int) {
      (self.name, self.amount, self.text, self.series) = (name, amount, text, series)
    }
  }

  package var title: String
  package var parts: [Part]
  package var width = 344.0

  package init(title: String, parts: [Part], width: Double = 344.0) {
    (self.title, self.width) = (title, width)
    self.parts = parts.filter { $0.amount > 0 }.sorted { $0.amount > $1.amount }
  }

  private struct Area {
    var x, y, width, height: Double
  }

  private static let gap = 2.0

  package var drawing: Drawing {
    let height = width > 700 ? 260.0 : 300
    var drawing = Drawing(width: width, height: height, title: title, summary: summary)
    for (part, area) in zip(parts, areas(in: Area(x: 0, y: 0, width: width, height: height))) {
      drawing.rectangle(
        x: area.x,
        y: area.y,
        width: area.width - Self.gap,
        height: area.height - Self.gap,
        "s\(min(part.series, 5))",
        value: "\(part.name): \(part.text)"
      )
      write(part, in: area, on: &drawing)
    }
    return drawing
  }

  private func write(_ part: Part, in area: Area, on drawing: inout Drawing) {
    let room = area.width - 14
    guard area.height >= 40, room >= TextWidth.of(part.text, isStrong: true) else { return }
    let name = TextWidth.fitted(part.name, to: room, isStrong: true)
    guard name.count > 3 || name == part.name else { return }
    drawing.text(name, at: .init(area.x + 6, area.y + 17), "on")
    drawing.text(part.text, at: .init(area.x + 6, area.y + 33), "on")
  }

  /// Arranges the areas in rows along the shorter side.
  ///
  /// A row takes further areas as long as its areas become more square.
  private func areas(in whole: Area) -> [Area] {
    let total = parts.reduce(0) { $0 + $1.amount }
    guard total > 0 else { return [] }
    let sizes = parts.map { $0.amount / total * whole.width * whole.height }
    var (areas, rest, start): ([Area], Area, Int) = ([], whole, 0)
    while start < sizes.count {
      let side = min(rest.width, rest.height)
      var end = start + 1
      while end < sizes.count, worst(sizes[start...end], side) <= worst(sizes[start..<end], side) {
        end += 1
      }
      let row = sizes[start..<end]
      let depth = side > 0 ? row.reduce(0, +) / side : 0
      var place = 0.0
      for size in row {
        let length = depth > 0 ? size / depth : 0
        areas.append(
          rest.width >= rest.height
            ? Area(x: rest.x, y: rest.y + place, width: depth, height: length)
            : Area(x: rest.x + place, y: rest.y, width: length, height: depth)
        )
        place += length
      }
      if rest.width >= rest.height {
        (rest.x, rest.width) = (rest.x + depth, rest.width - depth)
      } else {
        (rest.y, rest.height) = (rest.y + depth, rest.height - depth)
      }
      start = end
    }
    return areas
  }

  private func worst(_ row: ArraySlice<Double>, _ side: Double) -> Double {
    let sum = row.reduce(0, +)
    guard let least = row.min(), let most = row.max(), least > 0, side > 0 else { return .infinity }
    let square = side * side
    return max(square * most / (sum * sum), sum * sum / (square * least))
  }

  private var summary: String {
    parts.map { "\($0.name): \($0.text)" }.joined(separator: "; ") + "."
  }
}
