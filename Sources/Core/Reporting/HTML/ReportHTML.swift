import Basics
import Mustache

extension Report {
  /// The report as a self-contained HTML file without network requests.
  ///
  /// The file includes its style sheet and script, and its content security policy lists the
  /// digests of both. Equal reports give equal bytes.
  package var html: String {
    var page = HTMLPage()
    return page.html(of: self)
  }
}

private struct HTMLPage {
  /// The number of rows above which a table gets a search field.
  private static let manyRows = 12
  /// The maximum numbers of rows and table cells, beyond which a page is slow; the JSON output has
  /// all rows.
  private static let mostRows = 200
  private static let mostCells = 1600

  private var names = SectionNames()
  /// The number of tables with each label; a repeated label gets a number, because each region of a
  /// page needs a unique label.
  private var labels: [String: Int] = [:]
  private var places: [String: String] = [:]
  private var drawings = 0
  /// The headings of stacked tables, shown next to each cell, by the number of a CSS class.
  ///
  /// They are in the style sheet, because an attribute on each cell would take up a third of the
  /// bytes of a page with large tables.
  private var heads: [[String]] = []

  mutating func html(of report: Report) -> String {
    let ids = report.sections.map { names.unique($0.title) }
    places = Dictionary(
      zip(report.sections.map(\.title), ids),
      uniquingKeysWith: { first, _ in first }
    )
    let sections = zip(report.sections, ids).map { section, id in
      View.Section(
        id: id,
        heading: Inline(section.title),
        question: section.question.map(inline),
        content: section.blocks.map { html(of: $0) }.joined()
      )
    }
    let opening = report.lead.map { html(of: $0) }.joined()
    let style = PageAssets.style + headStyle
    return PageAssets.rendered(
      View(
        title: "StoreBench \(report.kind): \(report.title.plain)",
        kicker: Inline("StoreBench \(report.kind)"),
        headline: inline(report.title),
        headlineTone: report.tone.style,
        lead: report.verdict.map(inline),
        steps: report.steps.map { .init(name: $0.name, html: inline($0.value).html) },
        opening: opening,
        facts: folded(report.facts),
        hasFindings: !report.findings.isEmpty,
        findings: report.findings.map { finding in
          View.Finding(
            claim: .strong(inline(finding.claim)),
            tone: finding.tone.style,
            details: finding.details.map(inline)
          )
        },
        remark: report.findingsNote.map(inline),
        sections: sections,
        footer: Inline(
          "One file that makes no network requests. Made by StoreBench from \(report.source): the "
            + "same input gives the same bytes. StoreBench measures the storage work, not Apple's "
            + "own code."
        ),
        policy: PageAssets.policy(with: style),
        style: style
      ),
      with: "page"
    )
  }

  private var headStyle: String {
    heads.enumerated().flatMap { table, heads in
      heads.enumerated().dropFirst().filter { !$1.isEmpty }.map { column, head in
        ".heads\(table + 1) td:nth-child(\(column + 1)){--head:\(MarkupText.styleText(head))}\n"
      }
    }.joined()
  }

  private mutating func number(ofHeads titles: [String]) -> Int {
    if let index = heads.firstIndex(of: titles) { return index + 1 }
    heads.append(titles)
    return heads.count
  }

  private mutating func html(of block: Report.Block) -> String {
    switch block {
    case .heading(let text): return "<h3>\(inline(text).html)</h3>\n"
    case .sentence(let text, let tone):
      return paragraph(text, ["answer", tone.style].compactMap(\.self).joined(separator: " "))
    case .note(let text): return paragraph(text, "note")
    case .warning(let text): return paragraph(text, "warning")
    case .facts(let facts): return html(of: facts)
    case .list(let list):
      let items = list.items.prefix(Self.mostRows).map { item in
        let sign = item.sign == .point ? "" : "<span>\(item.sign.rawValue)</span> "
        return "<li class=\"\(item.sign)\">\(sign)\(inline(item.text).html)</li>\n"
      }
      return items.isEmpty
        ? ""
        : "<ul class=\"points\">\n\(items.joined())</ul>\n"
          + rest(list.items.count, beyond: Self.mostRows)
    case .table(let table): return html(of: table)
    case .charts(let figures, let heading, let note):
      let drawn = figures.map { html(of: $0) }.joined()
      let isPanel = figures.contains { !$0.isWide }
      return (heading.map { html(of: .heading($0)) } ?? "")
        + (isPanel ? "<div class=\"panels\">\n\(drawn)</div>\n" : drawn)
        + (note.map { html(of: .note($0)) } ?? "")
    case .command(let text): return "<pre><code>\(Inline(lines: text).html)</code></pre>\n"
    case .details(let title, let blocks), .folded(let title, let blocks):
      let content = blocks.map { html(of: $0) }.joined()
      return "<details><summary>\(Inline(title).html)</summary>\n\(content)</details>\n"
    }
  }

  private func paragraph(_ text: Report.Text, _ kind: String) -> String {
    "<p class=\"\(kind)\">\(inline(text).html)</p>\n"
  }

  private func rest(_ count: Int, beyond most: Int) -> String {
    guard count > most else { return "" }
    return paragraph(
      "and \((count - most).grouped) more: --format json has them all",
      "note"
    )
  }

  /// The facts below the answer.
  ///
  /// More than four facts are collapsed, so that the answer stays on the first screen.
  private func folded(_ facts: [Report.Fact]) -> String {
    let most = 4
    guard facts.count > most else { return html(of: facts) }
    let names = facts.map(\.name).joined(separator: ", ")
    return "<details><summary>\(Inline(names).html)</summary>\n\(html(of: facts))</details>\n"
  }

  private func html(of facts: [Report.Fact]) -> String {
    guard !facts.isEmpty else { return "" }
    let items = facts.map {
      "<div><dt>\(Inline($0.name).html)</dt><dd>\(inline($0.value).html)</dd></div>\n"
    }
    return "<dl class=\"facts\">\n\(items.joined())</dl>\n"
  }

  private mutating func html(of table: Report.Table) -> String {
    var shown = table
    let most = min(Self.mostRows, max(20, Self.mostCells / max(table.columns.count, 1)))
    shown.rows = Array(table.rows.prefix(most))
    let written = shown.written
    let titles = zip(written.heads, table.columns)
    // A row that does not fit is stacked, each cell with the heading of its column.
    let stacking = Stacking(shown, written).map {
      "\($0.rawValue) heads\(number(ofHeads: written.heads))"
    }
    // The prefix distinguishes the table's label from the labels of sections.
    var label = "Table: " + (table.title.isEmpty ? written.heads.first ?? "" : table.title)
    labels[label, default: 0] += 1
    if let number = labels[label], number > 1 { label += ", \(number)" }
    return PageAssets.rendered(
      TableView(
        label: label,
        caption: Inline(table.title),
        stacking: stacking,
        canFilter: shown.rows.count > Self.manyRows,
        columns: titles.map { .init(text: Inline($0), tone: $1.isNumeric ? nil : "words") },
        rows: written.rows.map { row in
          TableView.Row(
            cells: zip(row, table.columns).enumerated().map { index, pair in
              let (cell, column) = pair
              let text = column.kind == .code ? .code(cell.text.plain) : inline(cell.text)
              let classes = [column.isNumeric ? nil : "words", cell.tone.style].compactMap(\.self)
              return .init(
                text: text,
                tone: classes.isEmpty ? nil : classes.joined(separator: " "),
                isHead: index == 0
              )
            }
          )
        }
      ),
      with: "table"
    ) + rest(table.rows.count, beyond: most) + (table.note.map { paragraph($0, "note") } ?? "")
  }

  private mutating func html(of figure: Report.Figure) -> String {
    // Draw a full-width chart twice, for wide and for narrow pages.
    let sizes: [(role: String?, width: Double)] =
      figure.isWide ? [("wide", 1080), ("narrow", 350)] : [(nil, figure.chart.width)]
    let rendered = sizes.map { role, width in
      drawings += 1
      var chart = figure.chart
      chart.width = width
      var drawing = chart.drawing
      drawing.role = role.map { Drawing.Role(name: $0) }
      return Drawing.Markup(drawing, number: drawings)
    }
    return PageAssets.rendered(
      FigureView(
        caption: .init(title: Inline(figure.title), remark: figure.remark.map { Inline($0) }),
        rendered: rendered
      ),
      with: "figure"
    )
  }

  private func inline(_ text: Report.Text) -> Inline {
    text.runs.reduce("") { result, run in
      switch run {
      case .plain(let text): result + Inline(text)
      case .strong(let text): result + .strong(Inline(text))
      case .code(let text): result + .code(text)
      case .link(let text, let section):
        result + (places[section].map { .link(text, to: $0) } ?? Inline(text))
      case .mark(let series): result + .symbol(series: series)
      case .path(let path): result + .path(path)
      case .short(let text, let whole): result + .short(text, whole: whole)
      }
    }
  }

  // MARK: Template views

  private struct View {
    struct Section {
      let id: String
      let heading: Inline
      let question: Inline?
      let content: String
    }

    struct Step {
      let name: String
      let html: String
    }

    struct Finding {
      let claim: Inline
      let tone: String?
      let details: [Inline]
    }

    let title: String
    let kicker, headline: Inline
    // The property is not called `tone`: a template would use it for a finding without a `tone`.
    let headlineTone: String?
    let lead: Inline?
    let steps: [Step]
    let opening: String
    let facts: String
    let hasFindings: Bool
    let findings: [Finding]
    let remark: Inline?
    let sections: [Section]
    let footer: Inline
    let policy, style: String
    let script = PageAssets.script
  }

  private struct TableView {
    struct Cell {
      let text: Inline
      let tone: String?
      var isHead = true
    }

    struct Row { let cells: [Cell] }

    let label: String
    let caption: Inline
    let stacking: String?
    let canFilter: Bool
    let columns: [Cell]
    let rows: [Row]
  }

  private struct FigureView {
    struct Caption {
      let title: Inline
      let remark: Inline?
    }

    let caption: Caption
    let rendered: [Drawing.Markup]
  }
}

/// The page width below which a table stacks the cells of a row.
private enum Stacking: String {
  case phone = "stacked"
  case window = "stacked below-wide"
  case always = "stacked always"

  /// The width available to a table on a phone, on a tablet and on a wide page, in pixels.
  private static let rooms = (phone: 350.0, tablet: 700.0, wide: 1070.0)
  private static let gap = 20.0
  private static let size = 14.0

  init?(_ table: Report.Table, _ written: Report.Table.Written) {
    let width = table.columns.indices.reduce(0.0) { sum, index in
      let cells = written.rows.map { $0[index].text.plain }
      let column = table.columns[index]
      // Numbers, unlike text, cannot wrap.
      let parts =
        column.isNumeric
        ? cells + [written.heads[index]]
        : cells.flatMap { $0.split(separator: " ").map(String.init) } + [written.heads[index]]
      let longest = parts.map { TextWidth.of($0, size: Self.size, isStrong: true) }.max() ?? 0
      let least = index == 0 ? 126.0 : column.isNumeric ? 0 : column.kind == .code ? 196 : 98
      return sum + Self.gap + max(least, column.isNumeric ? longest : min(longest, 390))
    }
    if width <= Self.rooms.phone { return nil }
    self = width <= Self.rooms.tablet ? .phone : width <= Self.rooms.wide ? .window : .always
  }
}

struct SectionNames {
  private var taken: Set<String> = ["findings"]

  mutating func unique(_ name: String) -> String {
    let letters = name.lowercased().map { character in
      character.isASCII && (character.isLetter || character.isNumber) ? character : "-"
    }
    let words = String(letters).split(separator: "-").joined(separator: "-")
    let start = words.isEmpty ? "section" : String(words.prefix(60))
    var id = start
    var number = 2
    while !taken.insert(id).inserted {
      id = "\(start)-\(number)"
      number += 1
    }
    return id
  }
}

extension Report.Tone {
  fileprivate var style: String? { self == .plain ? nil : rawValue }
}
