import Basics
import Measurement

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
    let rule = palette.paint(String(repeating: "─", count: width), .faint)
    let groups = parameters.groups.flatMap { group in
      let heading = TerminalText.wrapped(group.heading, to: width - CaseGrid.margin)
      return heading.map { indent + palette.paint($0, .bold) } + group.cases.flatMap(row)
    }
    return [rule] + header + [rule] + groups
  }

  private var indent: String { String(repeating: " ", count: CaseGrid.margin) }

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
    let lines = reason.map {
      String(repeating: " ", count: offset) + palette.paint($0, ink)
    }
    guard isBeside, let first = reason.first else { return [label] + lines }
    let padding = String(repeating: " ", count: max(start - TerminalText.width(label), 0))
    return [label + padding + palette.paint(first, ink)] + lines.dropFirst()
  }

  private func line(mark: String, parameters cells: [String], figures values: [String]) -> String {
    var line = mark
    for (column, cell) in zip(parameters.columns, cells) {
      line += padded(cell, to: column.width, toTheRight: column.isNumeric)
      line += String(repeating: " ", count: CaseGrid.gap)
    }
    line += zip(figures, values).map { padded($1, to: $0.width, toTheRight: true) }
      .joined(separator: String(repeating: " ", count: CaseGrid.gap))
    while line.last == " " { line.removeLast() }
    return line
  }

  private func padded(_ text: String, to width: Int, toTheRight: Bool) -> String {
    let text = TerminalText.shortened(text, to: width)
    let padding = String(repeating: " ", count: max(width - TerminalText.width(text), 0))
    return toTheRight ? padding + text : text + padding
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
}
