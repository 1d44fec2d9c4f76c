import Basics
import Foundation
import Testing

@testable import Reporting

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct PageTests {
  private func report(named name: String) -> Report {
    let text = Report.Text(name)
    var report = Report(
      kind: name,
      title: text,
      verdict: "\(code: name) \(strong: name) \(name, linkTo: name) \(mark: 2)",
      facts: [.init(name, text)],
      source: name
    )
    report.findings = [.init(text, details: [text], tone: .bad)]
    report.findingsNote = text
    let bars = BarChart(title: name, rows: [.init(label: name, amount: 1, text: name)])
    report.sections = [
      .init(
        name,
        question: text,
        [
          .heading(text), .sentence(text, .good), .note(text), .warning(text), .command(name),
          .facts([.init(name, text)]), .list([text], .caution),
          .table(
            Report.Table(
              name,
              [.init(name), .init(name, .code), .init(name, .number)],
              rows: [[.text(name), .text(name), .text(name, .bad)]],
              note: text
            )
          ),
          .chart(.init(name, remark: name, bars)), .chart(.init(name, isWide: true, bars)),
          .details(name, [.sentence(text)]),
        ]
      )
    ]
    return report
  }

  @Test(arguments: [
    "</script><script>alert(1)</script>", "]]><svg onload=alert(1)>", "\"onload=alert(1) x=\"",
    "\"\u{301} onload=alert(1) x=\"", "<\u{338}img src=x>", "--><b>", "</title></style>",
    "{{name}}", "</pre></code>",
  ])
  func `escapes names of every kind`(name: String) {
    let html = report(named: name).html
    let plain = report(named: "plain").html
    // A hostile name must not change the page's elements.
    func elements(_ html: String) -> [Substring] {
      html.matches(of: /<\/?([a-z0-9]+)/).map(\.output.1)
    }
    #expect(elements(html) == elements(plain))
    for tag in html.matches(of: /<[a-z][^>]*>/).map({ String($0.output) }) {
      // A quote that closes an attribute early would give the tag an odd number of quotes.
      #expect(tag.unicodeScalars.filter { $0 == "\"" }.count.isMultiple(of: 2), "\(tag)")
      #expect(!tag.replacing(/"[^"]*"/, with: "").contains("onload"), "\(tag)")
      #expect(!tag.contains(" style="), "\(tag)")
    }
  }

  @Test func `isolates names that run from right to left, and drops what would reverse others`() {
    let html = report(named: " שלום عالم").html
    #expect(html.contains("<bdi>שלום عالم</bdi>"))
    let marks = html.unicodeScalars.filter { [0x2068, 0x2069].contains($0.value) }.map(\.value)
    #expect(!marks.isEmpty && marks == marks.indices.map { $0.isMultiple(of: 2) ? 0x2068 : 0x2069 })
    let reversed = report(named: "a\u{202E}gnp\u{0}\u{1B}[2J").html
    #expect(!reversed.unicodeScalars.contains { [0x202E, 0, 0x1B].contains($0.value) })
  }

  @Test func `keeps a number and its unit on one line, but not in a command`() {
    #expect(Inline("takes 12 ms and 3 things").html == "takes 12\u{A0}ms and 3 things")
    #expect(
      Inline("version 2 saves 4.0 % (1 to 2 MB)").html
        == "version 2 saves 4.0\u{A0}% (1 to 2\u{A0}MB)"
    )
    #expect(report(named: "--limit 2 s").html.contains("<pre><code>--limit 2 s</code></pre>"))
  }

  @Test func `allows its own style and script, by their digests, and nothing else`() throws {
    let html = report(named: "name").html
    let style = try #require(html.firstMatch(of: /<style>(?<text>(?s:.*?))<\/style>/)?.text)
    let script = try #require(html.firstMatch(of: /<script>(?<text>(?s:.*?))<\/script>/)?.text)
    let policy = try #require(html.firstMatch(of: /Policy" content="(?<text>[^"]*)"/)?.text)
    func digest(_ text: Substring) -> String {
      Data(SHA256.hash(data: text.utf8)).base64EncodedString()
    }
    #expect(
      policy.replacing("&#39;", with: "'")
        == "default-src 'none'; style-src 'sha256-\(digest(style))'; "
        + "script-src 'sha256-\(digest(script))'; base-uri 'none'; form-action 'none'"
    )
    #expect(script.utf8.count <= 10_000)
    #expect(!html.contains("src=") && !html.contains("href=\"http") && !html.contains("@import"))
  }

  @Test func `links to a section by its title, and draws wide charts twice`() {
    let html = report(named: "Some section").html
    #expect(html.contains("<a href=\"#some-section\">Some section</a>"))
    #expect(html.contains("<section id=\"some-section\""))
    #expect(html.components(separatedBy: "role=\"img\"").count == 4)
    #expect(html.contains("class=\"wide\"") && html.contains("class=\"narrow\""))
  }

  @Test func `marks cells by kind and tone`() {
    let html = report(named: "x").html
    #expect(
      html.contains(
        #"<tr><th scope="row" class="words">x</th><td class="words"><code>x</code></td><td class="bad">x</td></tr>"#
      )
    )
    #expect(html.contains("<li class=\"caution\"><span>!</span> x</li>"))
  }

  @Test(arguments: [(1, nil), (3, "stacked"), (5, "stacked below-wide"), (8, "stacked always")])
  func `shows cells below one another where their row has no room`(columns: Int, style: String?) {
    var report = Report(kind: "k", title: "t", source: "s")
    let head = Report.Column("Seconds of work", .number)
    let row = [Report.Cell.text("first")] + (0..<columns).map { Report.Cell.number($0) }
    report.sections = [
      .init("Numbers", [.table([.init("Case")] + (0..<columns).map { _ in head }, rows: [row])])
    ]
    let found = report.html.firstMatch(of: /<table(?: class="([^"]*)")?/)?.output.1.map(String.init)
    #expect(found == style.map { $0 + " heads1" })
    let rule = ".heads1 td:nth-child(2){--head:\"Seconds of work\"}"
    #expect(report.html.contains(rule) == (style != nil))
  }

  @Test func `keeps the head of a column from ending the style that it stands in`() throws {
    let name = "a\"}</style><script>\\ שלום \u{202E}"
    var report = Report(kind: "k", title: "t", source: "s")
    let columns = [Report.Column("Case")] + (0..<5).map { _ in Report.Column(name, .number) }
    let row = [Report.Cell.text("first")] + (0..<5).map { Report.Cell.number($0) }
    report.sections = [
      .init("Numbers", [.table(columns, rows: [row]), .table(columns, rows: [row])])
    ]
    let html = report.html
    let style = try #require(html.firstMatch(of: /<style>(?<text>(?s:.*?))<\/style>/)?.text)
    #expect(html.components(separatedBy: "</style>").count == 2)
    let own = style.split(separator: "\n").filter { $0.contains(".heads1 td:nth-child(") }
    #expect(own.count == 5 && !style.contains("heads2"))
    #expect(style.contains("td:nth-child(6){--head:\"a\\22 \\7d \\3c \\2f style\\3e "))
    #expect(style.contains("שלום") && !style.contains("\u{202E}"))
  }

  @Test
  func `begins with the verdict, how sure it is, what to do, what was not measured and the chart`()
    throws
  {
    var report = Report(kind: "k", title: "It fits", verdict: "Surely.", tone: .good, source: "s")
    report.certainty = "All was read."
    report.next = "Ship it."
    report.notMeasured = "Phones."
    let bars = BarChart(title: "Sizes", rows: [.init(label: "a", amount: 1, text: "1")])
    report.lead = [.chart(.init("Sizes", isWide: true, bars))]
    let html = report.html
    let header = try #require(html.firstMatch(of: /<header>(?<text>(?s:.*?))<\/header>/)?.text)
    let places = [
      "class=\"verdict good\"", "It fits", "Surely.", "<b>How sure:</b> All was read.",
      "<b>Next:</b> Ship it.", "<b>Not measured:</b> Phones.", "<svg",
    ].map { header.range(of: $0)?.lowerBound }
    #expect(places.allSatisfy { $0 != nil })
    #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
    #expect(!report.text().contains("Ship it.") && report.markdown.contains("Next: Ship it."))
  }

  @Test func `shows the name of a path's file, and the path as its tooltip`() {
    let path = #"/a folder/of "mine"/App.sqlite"#
    var report = Report(kind: "k", title: "\(path: path)", source: "s")
    report.verdict = "\(path: "alone.yaml")"
    #expect(
      report.html.contains(
        #"<span title="/a folder/of &quot;mine&quot;/App.sqlite">App.sqlite</span>"#
      )
    )
    #expect(report.html.contains(#"<p class="lead">alone.yaml</p>"#))
    #expect(report.text().hasPrefix(path))
  }

  @Test func `a chart is a file of its own, which asks for nothing`() throws {
    var report = Report(kind: "k", title: "t", source: "s")
    let bars = BarChart(title: "A & B", rows: [.init(label: "<x>", amount: 1, text: "1")])
    report.lead = [.chart(.init("Sizes", isWide: true, bars))]
    report.sections = [.init("Part", [.details("More", [.chart(.init("Sizes", bars))])])]
    #expect(report.figures.map(\.name) == ["sizes", "part-sizes"])
    let svg = report.figures[0].figure.svg
    let parsed = XMLParser(data: Data(svg.utf8))
    #expect(parsed.parse(), "\(svg)")
    #expect(svg.contains("width=\"1080\"") && svg.contains("A &amp; B"))
    #expect(svg.contains("<tspan class=\"strong\">Sizes</tspan>"))
    #expect(!svg.contains("url(") && !svg.contains("href"))
    for name in svg.matches(of: /class="([^"]+)"/).flatMap({ $0.output.1.split(separator: " ") }) {
      #expect(svg.contains(".\(name)"), "\(name)")
    }
  }

  @Test func `names every section once, by letters and digits`() {
    var names = SectionNames()
    let found = ["main/fetch", "main fetch", "\"><", "findings"].map { names.unique($0) }
    #expect(found == ["main-fetch", "main-fetch-2", "section", "findings-2"])
  }
}
