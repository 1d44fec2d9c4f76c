import Reporting
import Testing

@testable import Runner

struct LeadViewTests {
  private static var leads: LeadMap {
    let sizes = [10_240.0, 40_960, 163_840]
    func row(
      _ name: String,
      _ leaders: [[String]],
      _ changes: [LeadMap.Change] = []
    ) -> LeadMap.Row {
      LeadMap.Row(
        name: name,
        metric: Metric.wallClock.name,
        cells: zip(sizes, leaders).map { size, leaders in
          LeadMap.Cell(size: size, leaders: leaders, medians: ["inline": 1, "file": 2], lead: nil)
        },
        changes: changes
      )
    }
    let change = LeadMap.Change(
      from: "inline",
      to: "file",
      size: 40_960,
      lower: 20_480,
      upper: 81_920
    )
    let both = ["inline", "file"]
    return LeadMap(
      parameter: "size",
      unit: .bytes,
      alternatives: "strategy",
      sizes: sizes,
      landmarks: [LeadMap.Mark(size: 102_400, text: "guides: in the row up to 100 KB")],
      rows: [
        row("insert", [["inline"], both, ["file"]], [change]),
        row("list", [both, ["file"], ["file"]]),
        row("copyStore", [both, both, both]),
      ]
    )
  }

  @Test func `shows at which sizes the fastest alternative changes`() {
    let section = Report.Section(
      "Sweep",
      LeadView(Self.leads, SeriesNumbers([])).blocks(hasChart: true)
    )
    var report = Report(kind: "report", title: "", source: "")
    report.sections = [section]
    #expect(
      report.text().hasSuffix(
        """
          Where the fastest strategy changes with size
          Operation   Fastest              Changes at           Then
          Insert      inline               40 KB (20 to 80 KB)  file
          List        file, at some sizes  none in this range
          Copy store  cannot tell          none in this range
          measured from 10 KB to 160 KB; 100 KB: guides: in the row up to 100 KB

        """
      )
    )
    #expect(report.html.contains("filled cell: clear winner"))
  }

  @Test func `calls rows that other parameters distinguish combinations`() {
    var map = Self.leads
    for (place, name) in ["present=0", "present=0.5", "present=1"].enumerated() {
      map.rows[place].name = name
    }
    var report = Report(kind: "report", title: "", source: "")
    report.sections = [
      .init("Sweep", LeadView(map, SeriesNumbers([])).blocks(hasChart: true))
    ]
    let text = report.text()
    #expect(text.contains("Combination") && !text.lowercased().contains("operation"), "\(text)")
    let html = report.html.replacing("\u{A0}", with: " ")
    #expect(html.contains("3 combinations at 3 sizes: 9 comparisons"))
  }
}
