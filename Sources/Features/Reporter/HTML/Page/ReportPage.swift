import Foundation
import Mustache
import Reporting

/// A report as a page: the answer first, then what it rests on.
///
/// A file of its own that asks for nothing: style and script are in it, and its policy names both by
/// their digests. The same page gives the same bytes.
struct ReportPage {
  /// Plain text, for the title of the window.
  var title: String
  var kicker: Inline
  var headline: Inline
  var lead: Inline?
  var facts: [Fact] = []
  var findings: Findings?
  var sections: [Section] = []
  var footer: Inline

  /// A fact of the run: its name and its value.
  struct Fact {
    var name: Inline
    var value: Inline

    init(_ name: Inline, _ value: Inline) {
      self.name = name
      self.value = value
    }
  }

  /// The numbered sentences at the top.
  struct Findings {
    struct Item {
      var claim: Inline
      /// What it rests on, in small print.
      var evidence: Inline
    }

    var items: [Item]
    var remark: Inline?
  }

  /// A part of the page with a heading of its own.
  struct Section {
    /// Letters, digits and hyphens, unique in the page.
    var id: String
    var heading: Inline
    var question: Inline?
    var answers: [Inline] = []
    var blocks: [Block] = []
  }

  /// What stands below each other in a section: one of its fields is filled.
  struct Block {
    var subheading: Inline?
    var paragraph: Paragraph?
    var key: Key?
    var points: Points?
    var panels: Panels?
    var wideFigure: Figure?
    var table: Table?

    static func heading(_ text: Inline) -> Block { Block(subheading: text) }
    static func note(_ text: Inline) -> Block {
      Block(paragraph: Paragraph(kind: "note", text: text))
    }
    static func warning(_ text: Inline) -> Block {
      Block(paragraph: Paragraph(kind: "warning", text: text))
    }
    static func text(_ text: Inline) -> Block {
      Block(paragraph: Paragraph(kind: "answer", text: text))
    }
    static func points(_ entries: [Inline], foldedUnder summary: Inline? = nil) -> Block {
      Block(points: Points(summary: summary, entries: entries))
    }
    static func panels(_ figures: [Figure]) -> Block { Block(panels: Panels(figures: figures)) }
    static func figure(_ figure: Figure) -> Block { Block(wideFigure: figure) }
    static func table(_ table: Table) -> Block { Block(table: table) }

    fileprivate mutating func render(_ number: inout Int) {
      for index in (panels?.figures ?? []).indices { panels?.figures[index].render(&number) }
      wideFigure?.render(&number)
      // A section may have the label of its table as its heading; regions need names of their own.
      if let label = table?.label, !label.hasPrefix("Table: ") { table?.label = "Table: " + label }
      let rows = table?.rows.count ?? 0
      table?.canFilter = rows > 12
    }
  }

  struct Paragraph {
    var kind: String
    var text: Inline
  }

  struct Key {
    struct Entry {
      /// A mark in front of the text.
      var symbol: Inline = ""
      var text: Inline
    }

    var entries: [Entry]
  }

  struct Points {
    /// What the line says that unfolds them; `nil` for points that are always shown.
    var summary: Inline?
    var entries: [Inline]
  }

  struct Panels { var figures: [Figure] }

  /// A chart with what it is called; one that is drawn for wide and for narrow pages has two
  /// drawings.
  struct Figure {
    struct Caption {
      var title: Inline
      /// How to read it, in gray: `log scale`.
      var remark: Inline?
    }

    var caption: Caption?
    private var drawings: [Drawing]
    /// The drawings as markup, once they have their numbers.
    private var rendered: [Drawing.Markup] = []

    init(_ title: Inline, _ remark: Inline? = nil, _ drawing: Drawing) {
      caption = Caption(title: title, remark: remark)
      drawings = [drawing]
    }

    /// A chart over the whole page: `make` draws it for a width of so many pixels.
    init(wide make: (Double) -> Drawing) {
      drawings = zip([1080.0, 350], ["wide", "narrow"]).map { width, role in
        var drawing = make(width)
        drawing.role = Drawing.Role(name: role)
        return drawing
      }
    }

    /// Gives each drawing the next number of the page.
    fileprivate mutating func render(_ number: inout Int) {
      rendered = drawings.map { drawing in
        number += 1
        return Drawing.Markup(drawing, number: number)
      }
    }
  }

  /// Rows of cells, the first column their heads.
  struct Table {
    struct Row {
      var head: Inline
      var cells: [Inline]

      init(_ head: Inline, _ cells: [Inline]) {
        self.head = head
        self.cells = cells
      }
    }

    /// What the line says that unfolds the table.
    var name: Inline
    /// Plain text, for readers who do not see the table.
    var label: String
    var caption: Inline
    var columns: [Inline]
    var rows: [Row]
    var isFolded = true
    /// Whether cells are sentences, which start at the left and may be broken.
    var isText = false

    /// Whether there are rows enough to search for some; stored, as templates see no computed value.
    fileprivate(set) var canFilter = false
  }
}

extension ReportPage {
  /// The page's bytes as text.
  var html: String {
    var number = 0
    var page = self
    // Identifiers count through the page, whatever each section shows.
    for section in page.sections.indices {
      for block in page.sections[section].blocks.indices {
        page.sections[section].blocks[block].render(&number)
      }
    }
    return Self.library.render(View(page), withTemplate: "page") ?? ""
  }

  private struct View {
    let title, policy, style, script: String
    let kicker, headline, footer: Inline
    let lead: Inline?
    let facts: [Fact]
    let hasFacts: Bool
    let findings: Findings?
    let sections: [Section]

    init(_ page: ReportPage) {
      title = page.title
      policy = ReportPage.policy
      style = PageAssets.style
      script = PageAssets.script
      (kicker, headline, footer, lead) = (page.kicker, page.headline, page.footer, page.lead)
      (facts, findings, sections) = (page.facts, page.findings, page.sections)
      hasFacts = !page.facts.isEmpty
    }
  }

  private static let policy =
    "default-src 'none'; style-src '\(PageAssets.digest(of: PageAssets.style))'; "
    + "script-src '\(PageAssets.digest(of: PageAssets.script))'; base-uri 'none'; form-action 'none'"

  private static let library: MustacheLibrary = {
    MustacheContentTypes.register(EscapedText(), named: "REPORT")
    var library = MustacheLibrary()
    for (name, text) in PageAssets.templates {
      do {
        try library.register(text, named: name)
      } catch {
        preconditionFailure("template '\(name)': \(error)")
      }
    }
    return library
  }()

  /// What `{{name}}` does to its value: used for attributes and texts that hold no element.
  private struct EscapedText: MustacheContentType {
    func escapeText(_ text: String) -> String { MarkupText.attribute(text) }
  }
}
