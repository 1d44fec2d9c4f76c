import Basics

extension Report {
  /// The report for a terminal, at most `width` columns wide and without control characters from
  /// names.
  package func text(width: Int = 80, palette: Palette = .plain) -> String {
    var terminal = Terminal(width: width, palette: palette)
    terminal.write(self)
    return terminal.lines.map { $0 + "\n" }.joined()
  }
}

struct Terminal {
  private let width: Int
  private let palette: Palette
  private(set) var lines: [String] = []

  init(width: Int, palette: Palette) {
    // A terminal narrower than 40 columns wraps the lines itself.
    self.width = max(width, 40)
    self.palette = palette
  }

  mutating func write(_ report: Report) {
    let ink = Ink(report.tone)
    write(report.title, indent: 0, ink: ink == .plain ? .bold : ink)
    if let verdict = report.verdict { write(verdict, indent: 0) }
    if !report.facts.isEmpty {
      separate()
      write(report.facts, indent: 0, ink: .faint)
    }
    write(report.findings, note: report.findingsNote)
    for section in report.sections {
      separate()
      if !section.title.isEmpty { write(Report.Text(section.title), indent: 0, ink: .bold) }
      if let question = section.question { write(question, indent: 2, ink: .faint) }
      let indent = section.title.isEmpty ? 0 : 2
      for block in section.blocks { write(block, indent: indent) }
    }
  }

  private mutating func write(_ findings: [Report.Finding], note: Report.Text?) {
    guard !findings.isEmpty else { return }
    separate()
    for (index, finding) in findings.enumerated() {
      if index > 0 { separate() }
      let number = "\(index + 1). "
      write(finding.claim, indent: 0, mark: number, ink: Ink(finding.tone))
      for detail in finding.details { write(detail, indent: number.count) }
    }
    if let note { write(note, indent: 0, ink: .faint) }
  }

  private mutating func write(_ block: Report.Block, indent: Int) {
    switch block {
    case .heading(let text):
      separate()
      write(text, indent: indent, ink: .bold)
    case .sentence(let text, let tone): write(text, indent: indent, ink: Ink(tone))
    case .note(let text): write(text, indent: indent, ink: .faint)
    case .warning(let text): write(text, indent: indent, mark: "! ", ink: .yellow)
    case .facts(let facts): write(facts, indent: indent)
    case .list(let list): write(list, indent: indent)
    case .table(let table): write(table, indent: indent)
    case .charts: break
    case .command(let text):
      lines += text.split(separator: "\n", omittingEmptySubsequences: false).map {
        .blanks(indent + 2) + TerminalText.plain(String($0))
      }
    case .folded(_, let blocks): for block in blocks { write(block, indent: indent) }
    case .details(_, let blocks) where blocks.allSatisfy(\.isForPages): break
    case .details(let title, let blocks):
      if !title.isEmpty { write(Report.Text(title), indent: indent) }
      for block in blocks { write(block, indent: indent + (title.isEmpty ? 0 : 2)) }
    }
  }

  private mutating func separate() {
    if let last = lines.last, !last.isEmpty { lines.append("") }
  }

  private mutating func write(
    _ text: Report.Text,
    indent: Int,
    mark: String = "",
    ink: Ink = .plain
  ) {
    let room = width - indent - TerminalText.width(mark)
    for (index, line) in TerminalText.wrapped(text.plain, to: room).enumerated() {
      let start = index == 0 ? mark : .blanks(TerminalText.width(mark))
      lines.append(.blanks(indent) + palette.paint(start + line, ink))
    }
  }

  private mutating func write(_ facts: [Report.Fact], indent: Int, ink: Ink = .plain) {
    let names = facts.map { TerminalText.plain($0.name) }
    let widest = names.map(TerminalText.width).filter { $0 <= width / 3 }.max() ?? 0
    for (name, fact) in zip(names, facts) {
      let mark = name.padded(to: widest) + "  "
      if TerminalText.width(name) <= widest, !fact.value.plain.isEmpty {
        write(fact.value, indent: indent, mark: mark, ink: ink)
      } else {
        write(Report.Text(name), indent: indent, ink: ink)
        write(fact.value, indent: indent + widest + 2, ink: ink)
      }
    }
  }

  private mutating func write(_ list: Report.List, indent: Int) {
    for item in list.items.prefix(list.most ?? .max) {
      write(item.text, indent: indent, mark: item.sign.rawValue + " ", ink: item.sign.ink)
    }
    writeRest(list.items.count - (list.most ?? .max), indent: indent)
  }

  private mutating func writeRest(_ count: Int, indent: Int) {
    guard count > 0 else { return }
    write("and \(count.grouped) more: --format json has them all", indent: indent, ink: .faint)
  }

  private mutating func write(_ table: Report.Table, indent: Int) {
    guard table.most != 0 else { return }
    if !table.title.isEmpty { write(Report.Text(table.title), indent: indent) }
    var shown = table
    shown.rows = Array(table.rows.prefix(table.most ?? .max))
    let layout = TableLayout(shown, width: width - indent)
    lines += layout.lines(palette).map { .blanks(indent) + $0 }
    writeRest(table.rows.count - shown.rows.count, indent: indent)
    if let note = table.note { write(note, indent: indent, ink: .faint) }
  }
}

extension Ink {
  init(_ tone: Report.Tone) {
    self =
      switch tone {
      case .plain: .plain
      case .good: .green
      case .bad: .red
      case .caution: .yellow
      case .quiet: .faint
      }
  }
}

extension Report.List.Sign {
  fileprivate var ink: Ink {
    switch self {
    case .point, .good, .unknown: .plain
    case .bad: .red
    case .caution: .yellow
    }
  }
}
