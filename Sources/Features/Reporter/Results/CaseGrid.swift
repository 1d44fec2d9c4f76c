import Basics
import Reporting
import Runner

/// The rows of a workload's cases: their parameters on the left, their figures on the right.
struct CaseGrid {
  let parameters: ParameterLayout
  let figures: [FigureColumn]

  private let workload: WorkloadResult
  private let width: Int
  private let palette: Palette

  /// The column for the mark before each row.
  private static let margin = 2
  private static let gap = 2
  /// The least room in which the reason of a failure is still read easily beside its case.
  private static let leastReasonWidth = 30

  init(_ workload: WorkloadResult, references: [String], width: Int, palette: Palette) {
    self.workload = workload
    self.width = width
    self.palette = palette
    var columns = FigureColumn.columns(of: workload)
    if references.contains(where: { !$0.isEmpty }) {
      columns.append(FigureColumn(title: "note", unit: "", cells: references, meaning: ""))
    }
    let essential = columns.filter { !$0.isOptional }
    let layout = ParameterLayout(
      of: workload.cases,
      width: width - CaseGrid.margin - CaseGrid.width(of: essential),
      gap: CaseGrid.gap
    )
    parameters = layout
    figures = CaseGrid.fitting(columns, into: width - CaseGrid.margin - layout.totalWidth)
  }

  func lines() -> [String] {
    let rule = palette.paint(TextTable.rule(width: width), .faint)
    let groups = parameters.groups.flatMap { group in
      let heading = TerminalText.wrapped(group.heading, to: width - CaseGrid.margin)
      return heading.map { indent + palette.paint($0, .bold) } + group.cases.flatMap(row)
    }
    return [rule] + header + [rule] + groups
  }

  private let indent = String.blanks(CaseGrid.margin)

  private var header: [String] {
    let titles = line(
      mark: indent,
      parameters: parameters.columns.map { _ in "" },
      figures: figures.map(\.title)
    )
    let units = line(
      mark: indent,
      parameters: parameters.columns.map(\.name),
      figures: figures.map(\.unit)
    )
    return [titles, units]
  }

  private func row(_ index: Int) -> [String] {
    let result = workload.cases[index]
    let cells = parameters.columns.map { $0.cells[index] }
    switch result.outcome {
    case .passed:
      return [line(mark: indent, parameters: cells, figures: figures.map { $0.cells[index] })]
    case .failedAsExpected(let reason):
      return row(
        "✓ ",
        cells,
        "failed as expected: \(reason)",
        references(of: index),
        ink: .green
      )
    case .failed(let reason):
      return row("✗ ", cells, "FAILED: \(reason)", references(of: index), ink: .red)
    }
  }

  private func references(of index: Int) -> String {
    let references = figures.first { $0.title == "note" }?.cells[index] ?? ""
    return references.isEmpty ? "" : " [\(references)]"
  }

  // A failure's reason takes the place of the figures, or the lines below where that is narrow.
  private func row(
    _ mark: String,
    _ cells: [String],
    _ outcome: String,
    _ references: String,
    ink: Ink
  ) -> [String] {
    let label = line(mark: mark, parameters: cells, figures: [])
    let start = CaseGrid.margin + parameters.totalWidth
    let isBeside = width - start >= CaseGrid.leastReasonWidth
    let offset = isBeside ? start : 2 * CaseGrid.margin
    let reason = TerminalText.wrapped(outcome + references, to: width - offset)
    let lines = reason.map { .blanks(offset) + palette.paint($0, ink) }
    guard isBeside, let first = reason.first else { return [label] + lines }
    return [label.padded(to: start) + palette.paint(first, ink)] + lines.dropFirst()
  }

  private func line(mark: String, parameters cells: [String], figures values: [String]) -> String {
    table.line(cells + values, mark: mark)
  }

  private var table: TextTable {
    TextTable(
      parameters.columns.map {
        .init(width: $0.width, alignment: $0.isNumeric ? .right : .left)
      } + figures.map { .right("", $0.width) },
      gap: CaseGrid.gap,
      margin: CaseGrid.margin
    )
  }

  private static func width(of columns: [FigureColumn]) -> Int {
    columns.reduce(0) { $0 + $1.width + gap } - gap
  }

  /// The columns that fit, optional ones left out from the last.
  private static func fitting(_ columns: [FigureColumn], into room: Int) -> [FigureColumn] {
    var columns = columns
    while width(of: columns) > room, let last = columns.lastIndex(where: \.isOptional) {
      columns.remove(at: last)
    }
    return columns
  }

  /// Where the parameters of a workload's cases stand: above the table, above a group, in columns.
  struct ParameterLayout {
    /// A parameter whose values stand below each other.
    struct Column {
      var name: String
      /// The values by case; empty where the parameter says nothing of the case.
      var cells: [String]
      var width: Int
      /// Whether every value is a number, so that the column is set to the right.
      var isNumeric: Bool

      fileprivate init(_ name: String, of cases: [CaseResult]) {
        self.name = name
        let values = cases.map { $0.parameters[name] }
        cells = values.map { TerminalText.plain($0 ?? "") }
        width = ([name] + cells).map(TerminalText.width).max() ?? 0
        isNumeric = values.compactMap { $0 }.allSatisfy { Double($0) != nil }
      }

      // The fewest groups first; of equals, the widest column.
      fileprivate static func isBetterGrouping(_ left: Column, _ right: Column) -> Bool {
        let (leftCount, rightCount) = (Set(left.cells).count, Set(right.cells).count)
        return leftCount == rightCount ? left.width > right.width : leftCount < rightCount
      }
    }

    /// Parameters that all cases share, by name.
    private(set) var shared: [(name: String, value: String)] = []
    /// Parameters with a column each, by name.
    private(set) var columns: [Column] = []
    /// Cases under the parameters that have no room for a column, in the order of their first ones.
    let groups: [(heading: String, cases: [Int])]
    /// The width of all columns, each with the gap after it.
    let totalWidth: Int

    /// No value is cut to less than this.
    private static let leastWidth = 8

    /// Lays out the parameters so that their columns, with `gap` after each, fit a width.
    ///
    /// At least one column stays; its values are cut where it alone is too wide.
    init(of cases: [CaseResult], width: Int, gap: Int) {
      for name in Set(cases.flatMap(\.parameters.keys)).sorted() {
        let values = Set(cases.map { $0.parameters[name] })
        if values.count == 1, let value = values.first.flatMap({ $0 }) {
          shared.append((name, value))
        } else {
          columns.append(Column(name, of: cases))
        }
      }
      var grouping: [String] = []
      while columns.count > 1, ParameterLayout.width(of: columns, gap: gap) > width,
        let next = columns.min(by: Column.isBetterGrouping)
      {
        columns.removeAll { $0.name == next.name }
        grouping.append(next.name)
      }
      if columns.count == 1 {
        columns[0].width = min(columns[0].width, max(width - gap, ParameterLayout.leastWidth))
      }
      groups = ParameterLayout.groups(of: cases, by: grouping.sorted())
      totalWidth = ParameterLayout.width(of: columns, gap: gap)
    }

    private static func width(of columns: [Column], gap: Int) -> Int {
      columns.reduce(0) { $0 + $1.width + gap }
    }

    private static func groups(
      of cases: [CaseResult],
      by names: [String]
    ) -> [(heading: String, cases: [Int])] {
      var order: [String] = []
      var members: [String: [Int]] = [:]
      for (index, result) in cases.enumerated() {
        let values = names.compactMap { name in result.parameters[name].map { "\(name)=\($0)" } }
        let heading = values.joined(separator: ", ")
        if members[heading] == nil { order.append(heading) }
        members[heading, default: []].append(index)
      }
      return order.map { ($0, members[$0] ?? []) }
    }
  }
}
