import Basics
import Foundation
import Testing

@testable import Reporting

@Suite struct ChartTests {
  private func marks(_ drawing: Drawing) -> String { Drawing.Markup(drawing, number: 1).marks }

  @Test func `draws a bar with its label and value`() {
    let chart = BarChart(
      title: "Objects",
      rows: [.init(label: "Task & co", amount: 10, text: "10")]
    )
    let markup = Drawing.Markup(chart.drawing, number: 3)
    #expect(
      markup.marks == """
        <text x="0" y="15">Task &amp; co</text>\
        <text x="344" y="15" text-anchor="end" class="strong">10</text>\
        <rect x="0" y="21" width="344" height="10" class="s1" data-v="Task &amp; co: 10"/>
        """
    )
    #expect(markup.summary == "Task & co: 10.")
    #expect(markup.height == "42")
  }

  @Test func `draws each series with a shape of its own`() {
    let shapes = (1...5).map { series in
      var drawing = Drawing(width: 20, height: 20, title: "", summary: "")
      drawing.mark(series, at: .init(10, 10))
      return marks(drawing)
    }
    #expect(shapes[0] == #"<circle cx="10" cy="10" r="3.6" class="s1"/>"#)
    #expect(shapes[1] == #"<rect x="6.8" y="6.8" width="6.5" height="6.5" class="s2"/>"#)
    #expect(shapes[3] == #"<path d="M10 5.5L14.5 10L10 14.5L5.5 10Z" class="s4"/>"#)
    #expect(Set(shapes).count == 5)
  }

  @Test func `draws one mark a trial, and describes them`() {
    let chart = StripChart(
      title: "Total time",
      rows: [
        .init(label: "one", series: 1, trials: [0.001, 0.002, 0.004], median: 0.002),
        .init(label: "two", series: 2, trials: [0.1], median: 0.1),
      ],
      quantity: .seconds,
      isLogarithmic: true
    )
    let drawing = chart.drawing
    #expect(marks(drawing).components(separatedBy: "<circle").count == 4)
    #expect(
      drawing.summary == "one: median 2 ms, trials 1 ms to 4 ms; "
        + "two: median 100 ms, trials 100 ms to 100 ms. Logarithmic axis."
    )
  }

  @Test func `stacks phases up to the total`() {
    let chart = PhaseChart(
      title: "Phases",
      rows: [
        .init(
          label: "one",
          series: 1,
          total: 4,
          parts: [.init(name: "migrate", seconds: 3), .init(name: "checkpoint", seconds: 1)]
        )
      ]
    )
    #expect(marks(chart.drawing).contains(#"<rect x="258" y="21" width="86""#))
    #expect(chart.drawing.summary == "one: 4 s, of which migrate 3 s, 75 %; checkpoint 1 s, 25 %.")
  }

  @Test func `puts round values at the ticks of an axis, six at most`() {
    func ticks(_ low: Double, _ high: Double, _ quantity: ChartAxis.Quantity, _ isLog: Bool)
      -> [String]
    {
      ChartAxis(from: low, upTo: high, quantity, isLogarithmic: isLog, from: 0, to: 100)
        .ticks.map(quantity.text)
    }
    #expect(ticks(0, 10, .count, false) == ["0", "2", "4", "6", "8", "10"])
    #expect(ticks(1, 1000, .count, true) == ["1", "10", "100", "1,000"])
    #expect(ticks(0.0009, 0.03, .seconds, true) == ["1 ms", "2 ms", "5 ms", "10 ms", "20 ms"])
    #expect(
      ticks(1024, 1_048_576, .binaryBytes, true)
        == ["1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"]
    )
    #expect(ticks(-0.022, 0.022, .change, false) == ["−2 %", "−1 %", "0 %", "+1 %", "+2 %"])
    for power in -6...9 {
      for isLog in [true, false] {
        let low = 3.7 * Double(power).exponent10
        #expect(ticks(low, low * 740, .count, isLog).count <= 6)
      }
    }
  }

  @Test func `moves labels apart as little as possible`() {
    #expect(LineChart.apart([10, 12, 14], by: 15, from: 14, to: 100) == [14, 29, 44])
    #expect(LineChart.apart([90, 95], by: 15, from: 0, to: 100) == [85, 100])
    #expect(LineChart.apart([], by: 15, from: 0, to: 100).isEmpty)
  }

  @Test func `stays within its axis for values that nobody can draw`() {
    let axis = ChartAxis(over: [.infinity, 0, .nan], .seconds, isLogarithmic: true, from: 0, to: 9)
    for value in [Double.infinity, .nan, -1, 0, 1e300] {
      #expect((0...9).contains(axis.position(value)))
    }
    #expect(axis.position(.infinity) == 9)
    #expect(axis.ticks.count <= 6)
  }

  @Test func `gives a time and its interval with the digits that sentences have`() {
    for (value, low, high) in [(1.56, 1.2, 2.02), (0.932, 0.585, 1.486), (70.2, 53.9, 90.6)] {
      let words = [value, low, high].map { Figures.seconds($0) }
      #expect(RangeText.seconds(value, low, high) == "\(words[0]) (\(words[1]) to \(words[2]))")
    }
    #expect(RangeText.seconds(0.932, 0.585, 1.486) == "932 ms (585 ms to 1.49 s)")
  }

  @Test func `a wide strip chart has groups, intervals in words, and budgets`() {
    var chart = StripChart(
      title: "Total time",
      rows: ["insert", "list"].flatMap { group in
        ["inline", "file"].map { label in
          StripChart.Row(
            group: group,
            label: label,
            series: 1,
            trials: [1],
            median: 1,
            interval: 0.5...2
          )
        }
      },
      quantity: .seconds,
      isLogarithmic: true,
      width: 1080
    )
    chart.limits = [.init(value: 3, name: "white screen")]
    let text = marks(chart.drawing).replacing("\u{A0}", with: " ")
    for words in [
      ">insert</text>", ">list</text>", ">1 s (500 ms to 2 s)</text>", ">white screen<",
    ] {
      #expect(text.contains(words), "\(words)")
    }
    #expect(text.components(separatedBy: ">insert</text>").count == 2)
    #expect(text.contains("class=\"limit\""))
    #expect(chart.drawing.summary.contains("list, file: median 1 s"))
  }

  @Test func `the areas of a size map fill it, each by its share`() {
    let parts = (1...40).map { number in
      SizeMap.Part(name: "T\(number)", amount: Double(number), text: "\(number)", series: 1)
    }
    let drawing = SizeMap(title: "Bytes", parts: parts, width: 1080).drawing
    let areas = marks(drawing).matches(
      of: /<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/
    ).map { found in
      let numbers = [found.output.1, found.output.2, found.output.3, found.output.4]
        .compactMap { Double($0) }
      return (x: numbers[0], y: numbers[1], width: numbers[2] + 2, height: numbers[3] + 2)
    }
    #expect(areas.count == 40)
    let whole = 1080.0 * drawing.height
    for (area, part) in zip(areas, parts.reversed()) {
      let share = area.width * area.height / whole
      #expect(abs(share - part.amount / 820) < 0.002, "\(part.name)")
      #expect(area.x + area.width <= 1080.2 && area.y + area.height <= drawing.height + 0.2)
    }
    #expect(abs(areas.reduce(0) { $0 + $1.width * $1.height } / whole - 1) < 0.01)
    #expect(SizeMap(title: "", parts: []).drawing.summary == ".")
  }

  @Test func `every part of a phase chart is named, or is other`() {
    let parts = (1...9).map { PhaseChart.Row.Part(name: "phase \($0)", seconds: Double($0)) }
    let row = PhaseChart.Row(label: "one", series: 1, total: 45, parts: parts)
    for width in [350.0, 1080] {
      let text = marks(PhaseChart(title: "Phases", rows: [row], width: width).drawing)
      let shown = text.matches(of: /data-v="([^"]*)"/).map { String($0.output.1) }
      let line = text.matches(of: /class="tick">([^<]*)</).map { String($0.output.1) }.joined()
      for part in shown { #expect(line.contains(part), "\(part) is not in \(line)") }
      #expect(shown.last?.hasPrefix("other") == true || shown.count == 9)
    }
  }

  @Test func `an entity diagram has every box once, and no link through a box`() {
    let names = (1...11).map { "Entity\($0)" }
    let links = zip(names, names.dropFirst()).map {
      EntityDiagram.Link(from: $0, to: $1, isFromMany: false, isToMany: true, name: "\($0) → \($1)")
    }
    let boxes = names.map {
      EntityDiagram.Box(name: $0, lines: ["1 object"], isMarked: $0 == "Entity3")
    }
    for width in [350.0, 1080] {
      let drawing = EntityDiagram(title: "E", boxes: boxes, links: links, width: width).drawing
      let text = marks(drawing)
      for name in names {
        #expect(text.contains(">\(name == "Entity3" ? "! " : "")\(name)</text>"))
      }
      let rects = text.matches(
        of: /<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/
      ).map { found in
        [found.output.1, found.output.2, found.output.3, found.output.4].compactMap { Double($0) }
      }
      #expect(rects.count == 11)
      for path in text.matches(of: /d="([^"]*)" class="link"/) {
        var (x, y) = (-1.0, -1.0)
        for point in path.output.1.matches(of: /([MLHV])([\d.]+)(?: ([\d.]+))?/) {
          let first = Double(point.output.2) ?? -1
          switch point.output.1 {
          case "H": x = first
          case "V": y = first
          default: (x, y) = (first, point.output.3.flatMap { Double($0) } ?? -1)
          }
          #expect((0...width).contains(x) && (0...drawing.height).contains(y))
          let isInside = rects.contains { box in
            x > box[0] + 1 && x < box[0] + box[2] - 1 && y > box[1] + 1 && y < box[1] + box[3] - 1
          }
          #expect(!isInside, "\(x) \(y)")
        }
      }
    }
  }

  @Test func `draws the interval of a change up to the edge of the chart`() {
    let chart = ForestChart(
      title: "Change",
      rows: [
        .init(label: "one", change: 0.01, interval: -0.01...0.03, verdict: "cannot tell"),
        .init(label: "two", change: 0.02, interval: -1...Double.infinity, verdict: "cannot tell"),
      ],
      margin: -0.02...0.02,
      width: 350
    )
    #expect(
      chart.drawing.summary == "one: +1.00 % (−1.00 % to +3.00 %), cannot tell; "
        + "two: +2.00 % (−100 % to +∞), cannot tell."
    )
    // A long chart may be cut off, so the axis has labels at the top and at the bottom.
    for text in ["worse", ">0\u{A0}%<"] {
      #expect(marks(chart.drawing).components(separatedBy: text).count == 3, "\(text)")
    }
    #expect(!marks(chart.drawing).contains("nan"))
  }

  @Test func `shows winners, shared leads and where they change`() {
    let map = WinnerMap(
      title: "Fastest",
      names: ["inline", "file"],
      columns: ["1 KiB", "1 MiB"],
      rows: [
        .init(
          label: "Insert",
          cells: [.init(best: [1], lead: 3), .init(best: [2, 1], lead: nil)],
          crossovers: [
            .init(column: 1, interval: 0.8...1.2, size: "30 KiB", range: "20 to 40 KiB")
          ]
        )
      ],
      width: 1080
    )
    let text = marks(map.drawing)
    #expect(text.contains(">inline 3×</text>"))
    // Each mark has its name beside it, so the chart needs no legend.
    #expect(text.contains(">inline</text>") && text.contains(">file</text>"))
    #expect(text.contains("class=\"shared\""))
    #expect(text.contains("30\u{A0}KiB (20 to 40\u{A0}KiB)"))
    #expect(
      map.drawing.summary == "Insert: 1 KiB: inline by 3 times, 1 MiB: file or inline; winner "
        + "changes: 30 KiB (20 to 40 KiB)."
    )
  }

  @Test(arguments: [
    (0.4...0.6, "30 KiB (20 to 40 KiB)"), (0.5...1.5, "30 KiB"), (0.2...1.9, nil),
  ])
  func `a label that has no room beside its interval is shortened or left out`(
    interval: ClosedRange<Double>,
    label: String?
  ) {
    let text = marks(narrowMap([interval]).drawing).replacing("\u{A0}", with: " ")
    #expect(label.map { text.contains(">\($0)</text>") } ?? !text.contains("30 KiB"))
  }

  @Test func `labels of two changes in a row do not lie over each other`() {
    let text = marks(narrowMap([0.3...0.4, 1.6...1.7]).drawing).replacing("\u{A0}", with: " ")
    #expect(text.components(separatedBy: ">30 KiB (20 to 40 KiB)</text>").count == 2)
    #expect(text.contains(">30 KiB</text>"))
  }

  /// A map of phone width; the winner changes in the middle of each interval.
  private func narrowMap(_ intervals: [ClosedRange<Double>]) -> WinnerMap {
    let crossovers = intervals.map {
      WinnerMap.Crossover(
        column: ($0.lowerBound + $0.upperBound) / 2,
        interval: $0,
        size: "30 KiB",
        range: "20 to 40 KiB"
      )
    }
    let cell = WinnerMap.Cell(best: [1], lead: 3)
    return WinnerMap(
      title: "Fastest",
      names: ["inline", "file"],
      columns: ["1 KiB", "1 MiB"],
      rows: [.init(label: "Insert", cells: [cell, cell], crossovers: crossovers)],
      width: 350
    )
  }
}

extension Double {
  /// Ten to the power of this number, which must be whole.
  fileprivate var exponent10: Double {
    let power = (0..<Int(abs(self))).reduce(1.0) { product, _ in product * 10 }
    return self < 0 ? 1 / power : power
  }
}
