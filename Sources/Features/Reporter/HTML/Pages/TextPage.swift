import Basics

/// A report that is text as a page: its headings become sections.
struct TextPage {
  private let title: String
  private let kicker: String
  /// What the page was made of.
  private let made: String
  private let parts: [ReportText.Part]

  init(
    title: String,
    kicker: String = "StoreBench inspection",
    made: String = "the inspected files",
    _ reports: [ReportText]
  ) {
    (self.title, self.kicker, self.made) = (title, kicker, made)
    parts = reports.flatMap(\.parts)
  }

  init(title: String, _ report: ReportText) {
    self.init(title: title, [report])
  }

  var page: ReportPage {
    var page = ReportPage(
      title: "StoreBench: \(title)",
      kicker: Inline(kicker),
      headline: Inline(title),
      footer: PageFacts.footer(made: made)
    )
    var names = SectionNames()
    var sections: [ReportPage.Section] = []
    for part in parts {
      if case .heading(let text) = part, !text.hasPrefix(" ") {
        let heading = Self.sentence(text)
        sections.append(.init(id: names.unique(heading), heading: Inline(heading)))
        continue
      }
      if sections.isEmpty {
        sections.append(.init(id: names.unique("compared"), heading: "What was read"))
      }
      Self.add(part, to: &sections[sections.count - 1].blocks)
    }
    page.sections = sections
    return page
  }

  private static func add(_ part: ReportText.Part, to blocks: inout [ReportPage.Block]) {
    switch part {
    case .heading(let text):
      blocks.append(.heading(Inline(text.drop { $0 == " " }.description)))
    case .paragraph(let text, let mark):
      let line = Inline(mark == "- " ? text : mark + text)
      guard !mark.isEmpty else { return blocks.append(.text(line)) }
      if var points = blocks.last?.points {
        points.entries.append(line)
        blocks[blocks.count - 1].points = points
      } else {
        blocks.append(.points([line]))
      }
    case .command(let line): blocks.append(.text(.code(line)))
    case .table(let rows):
      blocks.append(
        .table(
          ReportPage.Table(
            name: "Table",
            label: "Names and values",
            caption: "",
            columns: ["Name", "Value"],
            rows: rows.map { .init(Inline($0.name), [Inline($0.value)]) },
            isFolded: false,
            isText: true
          )
        )
      )
    }
  }

  /// A heading in capitals as a page writes it.
  private static func sentence(_ heading: String) -> String {
    let words = heading.split(separator: " ").map { word in
      let isCapitals =
        word.count > 1 && word == word.uppercased() && word.contains(where: \.isLetter)
      return isCapitals && !["WAL", "UUID", "SQL"].contains(word) ? word.lowercased() : String(word)
    }
    return words.joined(separator: " ").capitalizedFirst
  }
}
