import Basics

/// A diagram of boxes and links, such as the entities of a model with their relationships.
///
/// Each link runs through the gaps between rows and columns of boxes, so that no link crosses a
/// box.
package struct EntityDiagram: Chart {
  package struct Box: Sendable {
    package var name: String
    /// The lines of text below the box's name.
    package var lines: [String]
    /// Whether the box needs attention, which a symbol next to its name shows.
    package var isMarked: Bool

    package init(name: String, lines: [String], isMarked: Bool = false) {
      (self.name, self.lines, self.isMarked) = (name, lines, isMarked)
    }
  }

  package struct Link: Sendable {
    /// The names of the two linked boxes.
    package var from, to: String
    /// Whether the link has many objects at its `from` end and at its `to` end; a fork shows such
    /// an end.
    package var isFromMany, isToMany: Bool
    package var name: String

    package init(from: String, to: String, isFromMany: Bool, isToMany: Bool, name: String) {
      (self.from, self.to, self.name) = (from, to, name)
      (self.isFromMany, self.isToMany) = (isFromMany, isToMany)
    }
  }

  package var title: String
  package var boxes: [Box]
  package var links: [Link]
  package var width = 344.0

  package init(title: String, boxes: [Box], links: [Link], width: Double = 344.0) {
    (self.title, self.links, self.width) = (title, links, width)
    self.boxes = Self.ordered(boxes, links)
  }

  private static let gap = 46.0
  private var columns: Int { max(1, Int(width / 216)) }
  private var boxWidth: Double { width / Double(columns) - Self.gap }
  private var boxHeight: Double {
    30 + 17 * Double(boxes.map(\.lines.count).max() ?? 0)
  }

  /// Orders the boxes breadth-first from the box with the most links, so that linked boxes are near
  /// each other.
  private static func ordered(_ boxes: [Box], _ links: [Link]) -> [Box] {
    let byName = Dictionary(keepingFirst: boxes.map { ($0.name, $0) })
    var neighbors: [String: [String]] = [:]
    for link in links where link.from != link.to {
      neighbors[link.from, default: []].append(link.to)
      neighbors[link.to, default: []].append(link.from)
    }
    var (order, seen): ([Box], Set<String>) = ([], [])
    let starts = boxes.sorted { first, second in
      let counts = [first, second].map { neighbors[$0.name]?.count ?? 0 }
      return counts[0] == counts[1] ? first.name < second.name : counts[0] > counts[1]
    }
    for start in starts where !seen.contains(start.name) {
      var waiting = [start.name]
      while !waiting.isEmpty {
        let name = waiting.removeFirst()
        guard let box = byName[name], seen.insert(name).inserted else { continue }
        order.append(box)
        waiting += (neighbors[name] ?? []).sorted().filter { !seen.contains($0) }
      }
    }
    return order
  }

  package var drawing: Drawing {
    let rows = (boxes.count + columns - 1) / columns
    let height = Double(rows) * (boxHeight + Self.gap) + 4
    var drawing = Drawing(width: width, height: height, title: title, summary: summary)
    let places = Dictionary(keepingFirst: boxes.enumerated().map { ($1.name, $0) })
    for (number, link) in links.enumerated() {
      guard let from = places[link.from], let to = places[link.to] else { continue }
      draw(link, from, to, number, in: &drawing)
    }
    for (index, box) in boxes.enumerated() { draw(box, at: corner(index), in: &drawing) }
    return drawing
  }

  private func corner(_ index: Int) -> Drawing.Point {
    .init(
      Double(index % columns) * (boxWidth + Self.gap),
      Double(index / columns) * (boxHeight + Self.gap) + 2
    )
  }

  private func draw(_ box: Box, at corner: Drawing.Point, in drawing: inout Drawing) {
    drawing.rectangle(x: corner.x, y: corner.y, width: boxWidth, height: boxHeight, "entity")
    let name = TextWidth.fitted(
      (box.isMarked ? "! " : "") + box.name,
      to: boxWidth - 16,
      isStrong: true
    )
    drawing.text(name, at: .init(corner.x + 8, corner.y + 20), "strong")
    for (number, line) in box.lines.enumerated() {
      let text = TextWidth.fitted(line, to: boxWidth - 16, size: TextWidth.tick)
      drawing.text(text, at: .init(corner.x + 8, corner.y + 37 + 17 * Double(number)), "tick")
    }
  }

  private func draw(
    _ link: Link,
    _ from: Int,
    _ to: Int,
    _ number: Int,
    in drawing: inout Drawing
  ) {
    let (first, second) = (corner(from), corner(to))
    // Shift links so that they do not overlap.
    let shift = Double(number % 7) * 5 + 6
    func start(_ corner: Drawing.Point, _ part: Double) -> Drawing.Point {
      .init(corner.x + boxWidth * part + Double(number % 7) * 6 - 18, corner.y + boxHeight)
    }
    let (one, two) = (start(first, 0.62), start(second, 0.38))
    let (low, high) = (one.y + shift + 6, two.y + shift + 6)
    var points = [one, Drawing.Point(one.x, low)]
    if abs(low - high) > 1 {
      // Use the gap to the right of the box that is further left.
      let column = Double(min(from % columns, to % columns))
      let x = column * (boxWidth + Self.gap) + boxWidth + shift
      points += [.init(x, low), .init(x, high)]
    }
    points += [.init(two.x, high), two]
    drawing.path(points, "link")
    if link.isFromMany { fork(at: one, in: &drawing) }
    if link.isToMany { fork(at: two, in: &drawing) }
    drawing.hover(at: .init(two.x, high), link.name)
  }

  private func fork(at point: Drawing.Point, in drawing: inout Drawing) {
    drawing.path(
      [.init(point.x - 4, point.y), .init(point.x, point.y + 7), .init(point.x + 4, point.y)],
      "link"
    )
  }

  private var summary: String {
    (boxes.map { ([$0.name] + $0.lines).joined(separator: ", ") } + links.map(\.name))
      .joined(separator: "; ") + "."
  }
}
