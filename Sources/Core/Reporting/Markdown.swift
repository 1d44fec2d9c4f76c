import Basics

extension Report {
  /// The report as Markdown; blocks that the HTML report collapses are collapsed too.
  package var markdown: String {
    var markdown = Markdown()
    markdown.write(self)
    return markdown.blocks.joined(separator: "\n\n") + "\n"
  }
}

private struct Markdown {
  private(set) var blocks: [String] = []

  mutating func write(_ report: Report) {
    blocks.append("## " + text(report.title))
    if let verdict = report.verdict { blocks.append(text(verdict)) }
    for step in report.steps { blocks.append("\(step.name): \(text(step.value))") }
    write(report.facts)
    if !report.findings.isEmpty {
      blocks.append(
        report.findings.enumerated().map { index, finding in
          ([text(finding.claim)] + finding.details.map(text)).joined(separator: "  \n   ")
            .prepending("\(index + 1). ")
        }.joined(separator: "\n")
      )
    }
    if let note = report.findingsNote { blocks.append("*\(text(note))*") }
    for section in report.sections {
      if !section.title.isEmpty { blocks.append("### " + Self.escaped(section.title)) }
      if let question = section.question { blocks.append("*\(text(question))*") }
      for block in section.blocks { write(block) }
    }
  }

  private mutating func write(_ block: Report.Block) {
    switch block {
    case .heading(let title): blocks.append("#### " + text(title))
    case .sentence(let sentence, _): blocks.append(text(sentence))
    case .note(let note): blocks.append("*\(text(note))*")
    case .warning(let warning): blocks.append("**\(text(warning))**")
    case .facts(let facts): write(facts)
    case .list(let list):
      let items = list.items.prefix(list.most ?? .max).map { item in
        "- " + (item.sign == .point ? "" : item.sign.rawValue + " ") + text(item.text)
      }
      let rest = list.items.count - items.count
      let lines = items + (rest > 0 ? ["- and \(rest.grouped) more"] : [])
      if !lines.isEmpty { blocks.append(lines.joined(separator: "\n")) }
    case .table(let table): write(table)
    case .charts: break
    case .command(let command):
      // The fence must be longer than any sequence of backticks in the text.
      let lines = command.split(separator: "\n", omittingEmptySubsequences: false)
        .map { TerminalText.plain(String($0)) }
      let longest = command.split { $0 != "`" }.map(\.count).max() ?? 0
      let fence = String(repeating: "`", count: max(3, longest + 1))
      blocks.append(([fence] + lines + [fence]).joined(separator: "\n"))
    case .details(_, let blocks) where blocks.allSatisfy(\.isForPages): break
    case .folded(_, let blocks) where blocks.allSatisfy(\.isForPages): break
    case .details(let title, let folded), .folded(let title, let folded):
      blocks.append("<details><summary>\(Self.escaped(title))</summary>")
      for block in folded { write(block) }
      blocks.append("</details>")
    }
  }

  private mutating func write(_ facts: [Report.Fact]) {
    guard !facts.isEmpty else { return }
    blocks.append(
      facts.map { "- \(Self.escaped($0.name)): \(text($0.value))" }.joined(separator: "\n")
    )
  }

  private mutating func write(_ table: Report.Table) {
    let written = table.written
    guard !written.rows.isEmpty, table.most != 0 else { return }
    if !table.title.isEmpty { blocks.append(Self.escaped(table.title) + ":") }
    func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
    let shown = written.rows.prefix(table.most ?? .max)
    let lines =
      [line(written.heads.map(Self.escaped))]
      + [line(table.columns.map { $0.isNumeric ? "---:" : "---" })]
      + shown.map { row in
        line(
          zip(row, table.columns).map { cell, column in
            column.kind == .code ? text(.code(cell.text.plain)) : text(cell.text)
          }
        )
      }
    blocks.append(lines.joined(separator: "\n"))
    let rest = written.rows.count - shown.count
    if rest > 0 { blocks.append("*and \(rest.grouped) more*") }
    if let note = table.note { blocks.append("*\(text(note))*") }
  }

  private func text(_ text: Report.Text) -> String {
    text.runs.map { run in
      switch run {
      case .plain(let text), .link(let text, _), .path(let text), .short(let text, _):
        Self.escaped(text)
      case .strong(let text): text.isEmpty ? "" : "**\(Self.escaped(text))**"
      case .code(let text): text.isEmpty ? "" : "<code>\(Self.escaped(text))</code>"
      case .mark: ""
      }
    }.joined()
  }

  private static func escaped(_ text: String) -> String {
    TerminalText.plain(text).reduce(into: "") { result, character in
      switch character {
      case "<": result += "&lt;"
      case "&": result += "&amp;"
      case "\\", "|", "`", "*", "_", "[", "]", "#": result += "\\\(character)"
      default: result.append(character)
      }
    }
  }
}

extension String {
  fileprivate func prepending(_ prefix: String) -> String { prefix + self }
}
