/// What a command found, in parts that every output is rendered from: the answer first, then what
/// it rests on.
///
/// A feature writes one view that makes this value; it has no type of any feature.
package struct Report: Sendable {
  /// The kind of report: `log analysis`.
  package var kind: String
  /// The answer, as a sentence that a person would say.
  package var title: Text
  /// One or two sentences with the answer's numbers.
  package var verdict: Text?
  /// Whether the answer is good news; it is never shown by color alone.
  package var tone: Tone
  /// What was read or measured wholly, what counted or sampled, and what is assumed.
  package var certainty: Text?
  /// What to do with the answer.
  ///
  /// A page shows it, the chart, how sure the answer is and what was not measured above all sections;
  /// a terminal has room for them only in sections.
  package var next: Text?
  package var notMeasured: Text?
  /// The chart that shows the answer, and how to read it.
  package var lead: [Block]
  package var facts: [Fact]
  package var findings: [Finding]
  /// How findings are ordered, or what they rest on.
  package var findingsNote: Text?
  package var sections: [Section]
  /// What the report was made of, for its last line: `the log`.
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

  /// What stands below the answer, by name.
  var steps: [Fact] {
    let steps = [("How sure", certainty), ("Next", next), ("Not measured", notMeasured)]
    return steps.compactMap { name, text in text.map { Fact(name, $0) } }
  }

  /// How a text stands out.
  package enum Tone: String, Sendable {
    case plain, good, bad, caution, quiet
  }

  /// A name and its value.
  package struct Fact: Sendable {
    package var name: String
    package var value: Text

    package init(_ name: String, _ value: Text) {
      (self.name, self.value) = (name, value)
    }
  }

  /// A numbered claim at the top.
  package struct Finding: Sendable {
    package var claim: Text
    /// What it rests on and what to do, a line each.
    package var details: [Text]
    package var tone: Tone

    package init(_ claim: Text, details: [Text] = [], tone: Tone = .plain) {
      (self.claim, self.details, self.tone) = (claim, details, tone)
    }
  }

  /// A part with a heading of its own; without one, a terminal only leaves a line free above it.
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
    /// A heading within a section.
    case heading(Text)
    case sentence(Text, Tone = .plain)
    /// How to read what is above, in small print.
    case note(Text)
    case warning(Text)
    case facts([Fact])
    case list(List)
    case table(Table)
    /// Charts side by side if there is room, with a heading and how to read them.
    case charts([Figure], heading: Text? = nil, note: Text? = nil)
    /// Lines to copy: they are never broken.
    case command(String)
    /// Blocks that a page folds below a line.
    case details(String, [Block])
    /// The same where a terminal needs no line above them.
    case folded(String, [Block])
  }

  /// Points below each other, each with a sign in front.
  package struct List: Sendable {
    package var items: [Item]
    /// How many a terminal shows; a last line counts the rest.
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
  /// Terminals and Markdown leave charts out, so a table has the numbers.
  package struct Figure: Sendable {
    package var title: String
    /// How to read it: `log scale`.
    package var remark: String?
    package var chart: any Chart
    /// Whether it takes the whole width of a page.
    package var isWide: Bool

    package init(_ title: String, remark: String? = nil, isWide: Bool = false, _ chart: any Chart) {
      (self.title, self.remark, self.isWide, self.chart) = (title, remark, isWide, chart)
    }
  }
}

extension Report.Block {
  /// Whether only pages show it.
  var isForPages: Bool {
    switch self {
    case .charts: true
    case .table(let table): table.most == 0
    default: false
    }
  }

  /// Points with the same sign.
  package static func list(
    _ items: [Report.Text],
    _ sign: Report.List.Sign = .point,
    most: Int? = nil
  ) -> Report.Block {
    .list(Report.List(items.map { .init(sign, $0) }, most: most))
  }

  package static func chart(_ figure: Report.Figure) -> Report.Block { .charts([figure]) }

  /// A table of which the heading above says what it shows.
  package static func table(
    _ columns: [Report.Column],
    rows: [[Report.Cell]],
    most: Int? = nil
  ) -> Report.Block {
    .table(Report.Table("", columns, rows: rows, most: most))
  }
}

extension Report {
  /// Text with what stands out in it: `"\(code: name) takes \(strong: "3 s")"`.
  package struct Text: Hashable, Sendable {
    package enum Run: Hashable, Sendable {
      case plain(String)
      case strong(String)
      case code(String)
      /// A link to the section of a title.
      case link(String, section: String)
      /// The mark of a series of charts; its name stands next to it.
      case mark(series: Int)
      /// A path, of which a page shows the file's name, and the whole on request.
      case path(String)
      /// The beginning of a name, such as that of a hash; a page shows the whole on request.
      case short(String, whole: String)
    }

    package var runs: [Run]

    package init(_ text: String) { runs = [.plain(text)] }

    /// What no run and no comparison of runs measures.
    package static let notOnDevices: Text =
      "Devices and Apple's own code: this is the storage work under Core Data and SwiftData on one Linux machine."

    package static func code(_ text: String) -> Text { "\(code: text)" }
    package static func strong(_ text: String) -> Text { "\(strong: text)" }

    package static func + (first: Text, second: Text) -> Text {
      var both = first
      both.runs += second.runs
      return both
    }

    /// The characters alone.
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
