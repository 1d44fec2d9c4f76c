/// A chart as SVG marks in pixels from the top left, at its actual size.
///
/// A title and a text summary with the numbers make the chart accessible. CSS classes of the page
/// define colors and lines.
package struct Drawing: Sendable {
  /// The role of a drawing in its chart: `wide` or `narrow`.
  package struct Role: Sendable {
    package var name: String

    package init(name: String) { self.name = name }
  }

  package let width: Double
  package let height: Double
  package let title: String
  /// A text summary of the chart's numbers.
  package let summary: String
  package var role: Role?
  private var marks = ""

  package init(width: Double, height: Double, title: String, summary: String) {
    self.width = width
    self.height = height
    self.title = title
    self.summary = summary
  }

  /// A drawing in the form that a page's template needs.
  package struct Markup {
    package let number: Int
    package let width, height, title, summary, marks: String
    package let role: Role?

    package init(_ drawing: Drawing, number: Int) {
      self.number = number
      width = Drawing.text(drawing.width)
      height = Drawing.text(drawing.height)
      (title, summary, marks) = (drawing.title, drawing.summary, drawing.marks)
      role = drawing.role
    }
  }

  /// The marks as a decorative picture, hidden from screen readers.
  package var symbol: String {
    let size = "width=\"\(Self.text(width))\" height=\"\(Self.text(height))\""
    return "<svg aria-hidden=\"true\" \(size)>\(marks)</svg>"
  }

  // MARK: Marks

  package struct Point: Hashable, Sendable {
    package var x: Double
    package var y: Double

    package init(_ x: Double, _ y: Double) {
      self.x = x
      self.y = y
    }
  }

  package enum Anchor: String { case start, middle, end }

  package mutating func line(_ from: Point, _ to: Point, _ style: String) {
    path([from, to], style)
  }

  /// Draws several lines of the same style as a single SVG path.
  package mutating func lines(_ ends: [(from: Point, to: Point)], _ style: String) {
    guard !ends.isEmpty else { return }
    let outline = ends.map { Self.outline([$0.from, $0.to], isClosed: false) }.joined()
    element("path", style, [("d", outline)])
  }

  /// Draws a line through points.
  package mutating func path(_ points: [Point], _ style: String) {
    guard points.count > 1 else { return }
    element("path", style, [("d", Self.outline(points, isClosed: false))])
  }

  package mutating func rectangle(
    x: Double,
    y: Double,
    width: Double,
    height: Double,
    _ style: String,
    value: String? = nil
  ) {
    element(
      "rect",
      style,
      [
        ("x", Self.text(x)), ("y", Self.text(y)), ("width", Self.text(max(width, 0))),
        ("height", Self.text(max(height, 0))),
      ],
      value
    )
  }

  /// Draws diagonal lines across a rectangle, which end at its border.
  package mutating func hatch(
    x: Double,
    y: Double,
    width: Double,
    height: Double,
    step: Double,
    _ style: String
  ) {
    guard width > 1, height > 1 else { return }
    var ends: [(from: Point, to: Point)] = []
    var offset = step
    while offset < width + height {
      let from = Point(x + max(0, offset - height), y + min(offset, height))
      let to = Point(x + min(offset, width), y + max(0, offset - width))
      ends.append((from, to))
      offset += step
    }
    lines(ends, style)
  }

  package mutating func text(
    _ text: String,
    at point: Point,
    _ style: String = "",
    _ anchor: Anchor = .start
  ) {
    let anchored = anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\""
    let styled = style.isEmpty ? "" : " class=\"\(style)\""
    marks += "<text x=\"\(Self.text(point.x))\" y=\"\(Self.text(point.y))\"\(anchored)\(styled)>"
    marks += MarkupText.attribute(MarkupText.spaced(text)) + "</text>"
  }

  /// Draws the mark of a series: a circle, square, triangle or diamond, or a ring from the fifth
  /// series on.
  ///
  /// A script shows the value of the mark next to the pointer.
  package mutating func mark(
    _ series: Int,
    at point: Point,
    radius: Double = 3.6,
    _ style: String = "",
    value: String? = nil
  ) {
    let classes = "s\(min(series, 5))" + (style.isEmpty ? "" : " " + style)
    let (x, y) = (point.x, point.y)
    switch series {
    case 2:
      let side = radius * 0.9
      rectangle(x: x - side, y: y - side, width: 2 * side, height: 2 * side, classes, value: value)
    case 3:
      let points = [Point(x, y - radius * 1.2), Point(x + radius * 1.15, y + radius * 0.85)]
      polygon(points + [Point(x - radius * 1.15, y + radius * 0.85)], classes, value)
    case 4:
      let reach = radius * 1.25
      let points = [Point(x, y - reach), Point(x + reach, y), Point(x, y + reach)]
      polygon(points + [Point(x - reach, y)], classes, value)
    default:
      element(
        "circle",
        classes,
        [("cx", Self.text(x)), ("cy", Self.text(y)), ("r", Self.text(radius))],
        value
      )
    }
  }

  /// Draws a ring on a line.
  package mutating func dot(at point: Point) {
    element(
      "circle",
      "ring",
      [("cx", Self.text(point.x)), ("cy", Self.text(point.y)), ("r", "4")]
    )
  }

  /// Adds an invisible point that shows a value if the pointer is over it.
  package mutating func hover(at point: Point, _ value: String) {
    element(
      "circle",
      "unseen",
      [("cx", Self.text(point.x)), ("cy", Self.text(point.y)), ("r", "2")],
      value
    )
  }

  /// Draws a filled shape.
  package mutating func polygon(_ points: [Point], _ style: String, _ value: String? = nil) {
    element("path", style, [("d", Self.outline(points, isClosed: true))], value)
  }

  private mutating func element(
    _ name: String,
    _ style: String,
    _ attributes: [(name: String, value: String)],
    _ value: String? = nil
  ) {
    marks += "<\(name)"
    for attribute in attributes { marks += " \(attribute.name)=\"\(attribute.value)\"" }
    if !style.isEmpty { marks += " class=\"\(style)\"" }
    if let value {
      marks += " data-v=\"\(MarkupText.attribute(MarkupText.spaced(value)))\""
    }
    marks += "/>"
  }

  private static func outline(_ points: [Point], isClosed: Bool) -> String {
    var (outline, last) = ("", (x: "", y: ""))
    for (index, point) in points.enumerated() {
      let next = (x: text(point.x), y: text(point.y))
      outline +=
        index == 0
        ? "M\(next.x) \(next.y)"
        : next.x == last.x ? "V\(next.y)" : next.y == last.y ? "H\(next.x)" : "L\(next.x) \(next.y)"
      last = next
    }
    return outline + (isClosed ? "Z" : "")
  }

  private static func text(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e7 else { return "0" }
    let tenths = Int((value * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    let whole = "\(sign)\(abs(tenths) / 10)"
    return tenths % 10 == 0 ? whole : "\(whole).\(abs(tenths) % 10)"
  }
}

/// Estimates the width of text, using the widest of the common system fonts.
package enum TextWidth {
  package static let chart = 12.5
  package static let tick = 11.5

  /// The width of text in pixels.
  package static func of(_ text: String, size: Double = chart, isStrong: Bool = false) -> Double {
    text.unicodeScalars.reduce(0) { $0 + ems(of: $1) } * size * (isStrong ? 1.1 : 1)
  }

  /// The text, truncated with an ellipsis if it does not fit.
  package static func fitted(
    _ text: String,
    to room: Double,
    size: Double = chart,
    isStrong: Bool = false
  ) -> String {
    guard of(text, size: size, isStrong: isStrong) > room else { return text }
    var kept = text
    while !kept.isEmpty, of(kept + "…", size: size, isStrong: isStrong) > room { kept.removeLast() }
    while kept.last == " " || kept.last == "," { kept.removeLast() }
    return kept + "…"
  }

  /// Breaks text at blanks into at most `most` lines; the last line is truncated if it does not
  /// fit.
  package static func lines(of text: String, to room: Double, most: Int) -> [String] {
    var lines: [String] = []
    var words = text.split(separator: " ").map(String.init)[...]
    while !words.isEmpty, lines.count < most - 1 {
      var count = 1
      while count < words.count, of(words.prefix(count + 1).joined(separator: " ")) <= room {
        count += 1
      }
      lines.append(fitted(words.prefix(count).joined(separator: " "), to: room))
      words = words.dropFirst(count)
    }
    return words.isEmpty ? lines : lines + [fitted(words.joined(separator: " "), to: room)]
  }

  // The advance widths of DejaVu Sans, in ems.
  private static func ems(of scalar: Unicode.Scalar) -> Double {
    switch scalar {
    case "i", "j", "l", "I", "J", "'", "|": 0.3
    case " ", ",", ".", "·", ":", ";": 0.33
    case "f", "t", "r", "(", ")", "-", "/", "!", "\u{A0}": 0.41
    case "m", "M", "W", "%", "@": 0.97
    case "w", "=", "+", "×", "±", "<", ">": 0.84
    case "A"..."Z": 0.74
    case "c", "s", "k", "v", "x", "y", "z": 0.58
    case "\u{0}"..."\u{7F}", "µ", "–": 0.64
    case "\u{300}"..."\u{36F}": 0
    default: scalar.value < 0x1100 ? 0.7 : 1
    }
  }
}
