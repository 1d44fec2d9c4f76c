extension Report {
  /// The report's charts, each with a unique file name from the titles of its section and chart.
  package var figures: [(name: String, figure: Figure)] {
    var names = SectionNames()
    return lead.flatMap(\.figures).map { (names.unique($0.title), $0) }
      + sections.flatMap { section in
        section.blocks.flatMap(\.figures).map {
          (names.unique("\(section.title) \($0.title)"), $0)
        }
      }
  }
}

extension Report.Block {
  fileprivate var figures: [Report.Figure] {
    switch self {
    case .charts(let figures, _, _): figures
    case .details(_, let blocks), .folded(_, let blocks): blocks.flatMap(\.figures)
    default: []
    }
  }
}

extension Report.Figure {
  /// The chart as a self-contained SVG file, with its title and a description that contains its
  /// numbers.
  package var svg: String {
    var chart = chart
    if isWide { chart.width = 1080 }
    let drawing = Drawing.Markup(chart.drawing, number: 1)
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="t1 d1" \
      width="\(drawing.width)" \
      viewBox="-12 -36 \(Self.sum(drawing.width, 24)) \(Self.sum(drawing.height, 48))">
      <title id="t1">\(MarkupText.attribute(drawing.title))</title>
      <desc id="d1">\(MarkupText.attribute(drawing.summary))</desc>
      <style><![CDATA[\(PageAssets.chartStyle).ground{fill:var(--page)}]]></style>
      <rect class="ground" x="-12" y="-36" width="100%" height="100%"/>
      <text x="0" y="-16"><tspan class="strong">\(MarkupText.attribute(title))</tspan>\
      \(remark.map { " <tspan class=\"muted\">\(MarkupText.attribute($0))</tspan>" } ?? "")</text>
      \(drawing.marks)
      </svg>

      """
  }

  private static func sum(_ length: String, _ margins: Double) -> String {
    "\((Double(length) ?? 0) + margins)"
  }
}
