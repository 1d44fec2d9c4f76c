import Basics
import Reporting
import Runner

/// The findings that open a report, in a terminal: the question, then each answer with its basis.
struct FindingLines {
  private let document: ResultDocument
  private let width: Int
  private let palette: Palette

  init(_ document: ResultDocument, width: Int, palette: Palette) {
    self.document = document
    self.width = width
    self.palette = palette
  }

  func lines() -> [String] {
    let findings = document.leadingFindings
    guard !findings.isEmpty else { return [] }
    let asking = document.workloads.filter { !$0.findings.isEmpty }
    let question = asking.count == 1 ? [asking[0].question].filter { !$0.isEmpty } : []
    return question.flatMap { palette.wrapped($0, to: width, ink: .bold) }
      + findings.enumerated().flatMap { index, finding in
        lines(of: finding, number: index + 1, named: asking.count > 1)
      }
  }

  private func lines(of finding: Finding, number: Int, named: Bool) -> [String] {
    let mark = "\(number). "
    let text = (named ? "\(finding.workload): " : "") + finding.text
    let basis = TerminalText.wrapped(finding.basis, to: width - mark.count).map {
      .blanks(mark.count) + palette.paint($0, .faint)
    }
    return TerminalText.paragraph(text, to: width, mark: mark) + basis
  }
}

extension Finding {
  /// The claim and its figures, as sentences.
  var text: String { claim + "." + (detail.isEmpty ? "" : " \(detail).") }
}

/// A winner map as a table of the sizes at which the fastest alternative changes.
struct LeadTable {
  private let map: LeadMap
  private let workload: String
  private let width: Int

  init(_ map: LeadMap, of workload: String, width: Int) {
    self.map = map
    self.workload = workload
    self.width = width
  }

  /// The titles of the columns.
  static let titles = ["", "fastest", "changes at", "then"]

  /// A row for each change; one for an operation without any.
  var rows: [[String]] {
    map.rows.flatMap { row -> [[String]] in
      guard !row.changes.isEmpty else {
        let leaders = row.leadersThroughout
        let isOpen = leaders.count > 1 && leaders.count == row.cells.first?.medians.count
        let names = isOpen ? "cannot tell" : leaders.joined(separator: " or ")
        return [[row.name, names, "none in this range", ""]]
      }
      return row.changes.enumerated().map { index, change in
        [index == 0 ? row.name : "", change.from, map.text(of: change), change.to]
      }
    }
  }

  /// What is printed below the rows: the range and the sizes that readers know.
  var notes: [String] {
    guard let first = map.sizes.first, let last = map.sizes.last else { return [] }
    let known = map.landmarks.map { "\(map.text(ofSize: $0.size)): \($0.text)" }
    return ["measured from \(map.text(ofSize: first)) to \(map.text(ofSize: last))"] + known
  }

  var title: String { "Where the fastest \(map.alternatives) changes with \(map.parameter)" }

  func lines(_ palette: Palette) -> [String] {
    let all = [Self.titles] + rows
    let widths = Self.titles.indices.map { column in
      all.map { TerminalText.width($0[column]) }.max() ?? 0
    }
    // The names of operations are cut where the table is wider than the terminal.
    let rest = widths.dropFirst().reduce(0) { $0 + $1 + 2 }
    let table = TextTable(
      [.left("", max(8, min(widths[0], width - rest - 2)))]
        + zip(Self.titles, widths).dropFirst().map { .left($0, $1) },
      gap: 2,
      margin: 2
    )
    let rule = palette.paint(TextTable.rule(width: width), .faint)
    let title = TerminalText.wrapped("\(workload): \(title)", to: width)
    return [""] + title.map { palette.paint($0, .bold) } + [rule, table.header]
      + rows.map { table.line($0) }
      + notes.flatMap { TerminalText.paragraph($0, to: width, mark: "  • ") }
  }
}
