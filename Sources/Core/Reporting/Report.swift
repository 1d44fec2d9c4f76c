/// The results of a command, from which every output format is rendered: the answer first, then its
/// basis.
package struct Report: Sendable {
  /// The kind of report, such as `log analysis`.
  package var kind: String
  /// The answer, as a sentence.
  package var title: Text
  /// One or two sentences with the numbers behind the answer.
  package var verdict: Text?
  /// Whether the answer is good or bad; color is never the only indication.
  package var tone: Tone
  /// The certainty of each part of the answer: fully read or measured, counted, sampled or assumed.
  package var certainty: Text?
  /// The next steps after the answer.
  ///
  /// An HTML page shows them above all sections, as it does the chart, the certainty and the limits
  /// of the measurement; a terminal shows them in sections.
  package var next: Text?
  package var notMeasured: Text?
  /// The chart that shows the answer, with a hint for reading it.
  package var lead: [Block]
  package var facts: [Fact]
  package var findings: [Finding]
  /// A note on the order of the findings, or on their basis.
  package var findingsNote: Text?
  package var sections: [Section]
  /// The source that the report's last line names, such as `the log`.
  package var source: String

  package init(
    kind: String,
    title: Text,
    verdict: Text? = nil,
    tone: Tone = .plain,
    facts: [Fact] = [],
    source: String
  ) {
    (self.kind, self.title, self.verdict, self.tone) = (kind, title, verdict, tone)
    (self.facts, self.source) = (facts, source)
    (lead, findings, sections) = ([], [], [])
  }

  var steps: [Fact] {
    let steps = [("How sure", certainty), ("Next", next), ("Not measured", notMeasured)]
    return steps.compactMap { name, text in text.map { Fact(name, $0) } }
  }

  /// The tone of text.
  package enum Tone: String, Sendable {
    case plain, good, bad, caution, quiet
  }

  /// A name with its value.
  package struct Fact: Sendable {
    package var name: String
    package var value: Text

    package init(_ name: String, _ value: Text) {
      (self.name, self.value) = (name, value)
    }
  }

  /// A numbered claim at the top of the report.
  package struct Finding: Sendable {
    package var claim: Text
    /// The evidence for the claim and the recommended actions, one line each.
    package var details: [Text]
    package var tone: Tone

    package init(_ claim: Text, details: [Text] = [], tone: Tone = .plain) {
      (self.claim, self.details, self.tone) = (claim, details, tone)
    }
  }

  /// A part of the report with its own heading; if the title is empty, a terminal shows an empty
  /// line in its place.
  package struct Section: Sendable {
    package var title: String
    /// The question that the section answers.
    package var question: Text?
    package var blocks: [Block]

    package init(_ title: String, question: Text? = nil, _ blocks: [Block] = []) {
      (self.title, self.question, self.blocks) = (title, question, blocks)
    }
  }

  package indirect enum Block: Sendable {
    case heading(Text)
    case sentence(Text, Tone = .plain)
    /// A hint for reading the content above, in small print.
    case note(Text)
    case warning(Text)
    case facts([Fact])
    case list(List)
    case table(Table)
    /// Charts side by side if there is room, with a heading and a hint for reading them.
    case charts([Figure], heading: Text? = nil, note: Text? = nil)
    /// Commands to copy, whose lines are never broken.
    case command(String)
    /// Blocks that an HTML page collapses under a summary line.
    case details(String, [Block])
    /// Blocks that an HTML page collapses, but that need no summary line on a terminal.
    case folded(String, [Block])
  }

  /// A list of points, each preceded by a mark.
  package struct List: Sendable {
    package var items: [Item]
    /// The maximum number of points that a terminal shows; a last line states how many are omitted.
    package var most: Int?

    package struct Item: Sendable {
      package var sign: Sign
      package var text: Text

      package init(_ sign: Sign = .point, _ text: Text) {
        (self.sign, self.text) = (sign, text)
      }
    }

    package enum Sign: String, Sendable {
      case point = "-"
      case good = "✓"
      case bad = "✗"
      case caution = "!"
      case unknown = "?"
    }

    package init(_ items: [Item], most: Int? = nil) {
      (self.items, self.most) = (items, most)
    }
  }

  /// A chart with its caption.
  ///
  /// Terminals and Markdown omit charts, so a table must contain the numbers.
  package struct Figure: Sendable {
    package var title: String
    /// A hint for reading the chart, such as `log scale`.
    package var remark: String?
    package var chart: any Chart
    /// Whether the chart takes the full width of a page.
    package var isWide: Bool

    package init(_ title: String, remark: String? = nil, isWide: Bool = false, _ chart: any Chart) {
      (self.title, self.remark, self.isWide, self.chart) = (title, remark, isWide, chart)
    }
  }
}

extension Report.Block {
  var isForPages: Bool {
    switch self {
    case .charts: true
    case .table(let table): table.most == 0
    default: false
    }
  }

  /// A list whose points all have the same mark.
  package static func list(
    _ items: [Report.Text],
    _ sign: Report.List.Sign = .point,
    most: Int? = nil
  ) -> Report.Block {
    .list(Report.List(items.map { .init(sign, $0) }, most: most))
  }

  package static func chart(_ figure: Report.Figure) -> Report.Block { .charts([figure]) }

  /// A table without a title, for use below a heading.
  package static func table(
    _ columns: [Report.Column],
    rows: [[Report.Cell]],
    most: Int? = nil
  ) -> Report.Block {
    .table(Report.Table("", columns, rows: rows, most: most))
  }
}

extension Report {
  /// Formatted text: `"\(code: name) takes \(strong: "3 s")"`.
  package struct Text: Hashable, Sendable {
    package enum Run: Hashable, Sendable {
      case plain(String)
      case strong(String)
      case code(String)
      /// A link to the section with the given title.
      case link(String, section: String)
      /// The mark that represents a series in charts, for use next to the name of the series.
      case mark(series: Int)
      /// A path, which an HTML page shows as its file name, with the whole path as a tooltip.
      case path(String)
      /// A shortened text, such as the prefix of a hash, with the whole text as a tooltip on an
      /// HTML page.
      case short(String, whole: String)
    }

    package var runs: [Run]

    package init(_ text: String) { runs = [.plain(text)] }

    /// The note that real devices and Apple's code are not measured.
    package static let notOnDevices: Text =
      "Devices and Apple's own code: this is the storage work under Core Data and SwiftData on one Linux machine."

    package static func code(_ text: String) -> Text { "\(code: text)" }
    package static func strong(_ text: String) -> Text { "\(strong: text)" }

    package static func + (first: Text, second: Text) -> Text {
      var both = first
      both.runs += second.runs
      return both
    }

    /// The text without formatting.
    package var plain: String {
      runs.map {
        switch $0 {
        case .plain(let text), .strong(let text), .code(let text), .link(let text, _),
          .path(let text), .short(let text, _):
          text
        case .mark: ""
        }
      }.joined()
    }
  }
}

extension Report.Text: ExpressibleByStringInterpolation {
  package init(stringLiteral text: String) { self.init(text) }

  package init(stringInterpolation: StringInterpolation) { runs = stringInterpolation.runs }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var runs: [Run] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ text: String) {
      if !text.isEmpty { runs.append(.plain(text)) }
    }

    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      runs.append(.plain(value.description))
    }

    package mutating func appendInterpolation(_ text: Report.Text) { runs += text.runs }
    package mutating func appendInterpolation(strong text: String) { runs.append(.strong(text)) }
    package mutating func appendInterpolation(code text: String) { runs.append(.code(text)) }

    package mutating func appendInterpolation(path text: String) { runs.append(.path(text)) }

    package mutating func appendInterpolation(_ text: String, whole: String) {
      runs.append(text == whole ? .plain(text) : .short(text, whole: whole))
    }

    package mutating func appendInterpolation(_ text: String, linkTo section: String) {
      runs.append(.link(text, section: section))
    }

    package mutating func appendInterpolation(mark series: Int) {
      runs.append(.mark(series: series))
    }
  }
}
