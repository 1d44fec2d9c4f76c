import Basics
import Foundation
import Reporting

/// The view of a winner map (the fastest alternative at each size), as a table and as a chart of
/// the sizes at which that alternative changes.
struct LeadView {
  private let map: LeadMap
  private let series: SeriesNumbers

  init(_ map: LeadMap, _ series: SeriesNumbers) {
    (self.map, self.series) = (map, series)
  }

  private var title: String {
    "Where the fastest \(map.alternatives) changes with \(map.parameter)"
  }

  /// The chart with an explanation of its symbols.
  var chart: [Report.Block] {
    let key: Report.Text = """
      A filled cell: clear winner, with its lead over the next. A gray cell: the trials do not show \
      which of the marked ones is the fastest. ◆ ├─┤ in a framed row: the size at which the winner \
      changes, with its interval; what may be the fastest on its left is none of those on its right. \
      Columns are the measured sizes; distances have no meaning.
      """
    return [
      .charts([Report.Figure(title, remark: counts, isWide: true, chart(title))], note: key)
    ]
  }

  private var measured: [LeadMap.Row] { map.rows.filter { !$0.isMix } }

  /// A summary of the number of operations, sizes and comparisons.
  private var counts: String {
    let rows = Figures.counted(measured.count, map.rowNoun)
    let cells = measured.reduce(0) { $0 + $1.cells.count }
    let changing = measured.count { !$0.changes.isEmpty }
    return
      "\(rows) at \(Figures.counted(map.sizes.count, "size")): \(cells) comparisons; a change in "
      + "\(changing) of \(rows)"
      + (map.rows.count > measured.count ? "; below them their mix" : "")
  }

  /// Returns the tables of the map, and the chart if `hasChart` is set.
  func blocks(hasChart: Bool) -> [Report.Block] {
    [.heading(Report.Text(title)), .table(changes)] + (hasChart ? chart : []) + [
      .details("Table: the fastest \(map.alternatives) at each size", [.table(leaders)])
    ]
  }

  /// The table of changes, with one row per change, and one row for an operation without changes.
  private var changes: Report.Table {
    let rows = map.rows.flatMap { row -> [[Report.Cell]] in
      let label = Self.label(of: row)
      guard !row.changes.isEmpty else {
        let alone = Set(row.cells.filter { $0.leaders.count == 1 }.flatMap(\.leaders))
        let scope = row.isClear ? "" : ", at some sizes"
        // If several alternatives are sole leaders without a change of leader, one of them was not
        // measured at every size.
        guard alone.count < 2 else { return [[.text(label), .text(map.words(for: row)), "", ""]] }
        let names =
          alone.isEmpty ? "cannot tell" : CaseDimensions.words(alone.joined()) + scope
        return [[.text(label), .text(names), "none in this range", ""]]
      }
      guard map.hasNames(row) else {
        return [[.text(label), .text(map.words(for: row)), "", ""]]
      }
      return row.changes.enumerated().map { index, change in
        [
          .text(index == 0 ? label : ""), .text(map.below(change)),
          .text(map.text(of: change)), .text(map.above(change)),
        ]
      }
    }
    let ends = [map.sizes.first, map.sizes.last].compactMap(\.self).map(map.text(ofSize:))
    let known = map.landmarks.map { "; \(map.text(ofSize: $0.size)): \($0.text)" }.joined()
    return Report.Table(
      "",
      [
        .init(map.rowNoun.capitalizedFirst), .init("Fastest"), .init("Changes at"), .init("Then"),
      ],
      rows: rows,
      note: "measured from \(ends.joined(separator: " to "))\(known)"
    )
  }

  /// The table of the chart's values, which is omitted on terminals because the table of changes is
  /// shorter.
  private var leaders: Report.Table {
    Report.Table(
      "Alternatives that are not clearly slower than another, the fastest first, with the lead",
      [.init(map.rowNoun.capitalizedFirst)] + map.sizes.map { .init(map.text(ofSize: $0)) },
      rows: map.rows.map { row in
        [.text(Self.label(of: row))]
          + map.sizes.map { size in
            guard let cell = row.cells.first(where: { $0.size == size }) else { return "–" }
            let lead = cell.lead.map { " \(Figures.significant($0.value))×" } ?? ""
            let names = cell.leaders.map { CaseDimensions.words($0) }
            return .text(names.joined(separator: ", ") + lead)
          }
      },
      most: 0
    )
  }

  /// The names of the alternatives, sorted by the numbers of their colors.
  private var names: [(number: Int, name: String)] {
    let all = Set(map.rows.flatMap(\.cells).flatMap { $0.leaders + $0.medians.keys })
    return all.map { (series.number(of: $0), CaseDimensions.words($0)) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
  }

  private func chart(_ title: String) -> WinnerMap {
    let highest = max(names.map(\.number).max() ?? 0, 1)
    return WinnerMap(
      title: title,
      names: (1...highest).map { number in names.first { $0.number == number }?.name ?? "" },
      columns: map.sizes.map(map.text(ofSize:)),
      rows: map.rows.map { row in
        WinnerMap.Row(
          label: Self.label(of: row),
          cells: map.sizes.map { size in
            let cell = row.cells.first { $0.size == size }
            return WinnerMap.Cell(
              best: (cell?.leaders ?? []).map { series.number(of: $0) },
              lead: cell?.leaders.count == 1 ? cell?.lead?.value : nil
            )
          },
          crossovers: row.changes.map { change in
            let (lower, upper) = (column(of: change.lower), column(of: change.upper))
            return WinnerMap.Crossover(
              column: column(of: change.size),
              interval: lower...max(upper, lower),
              size: map.text(ofSize: change.size),
              range: "\(map.text(ofSize: change.lower)) to \(map.text(ofSize: change.upper))"
            )
          }
        )
      }
    )
  }

  /// Returns a row's label: `operation=insert,durability=commit` becomes `Insert, durability
  /// commit`.
  private static func label(of row: LeadMap.Row) -> String {
    row.name.split(separator: ",").map { part in
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2 else { return CaseDimensions.words(String(part)) }
      let value = CaseDimensions.words(pair[1])
      return pair[0] == "operation" ? value : "\(pair[0]) \(value)"
    }.joined(separator: ", ").capitalizedFirst
  }

  /// Returns the horizontal position of a size in units of columns; the center of the third column
  /// is 2.5.
  private func column(of size: Double) -> Double {
    let sizes = map.sizes
    guard let first = sizes.first, let last = sizes.last, size > first else { return 0.5 }
    guard size < last, size > 0 else { return Double(sizes.count) - 0.5 }
    let index = (sizes.firstIndex { $0 >= size } ?? 1) - 1
    let (left, right) = (sizes[index], sizes[index + 1])
    let share = left > 0 ? log(size / left) / log(right / left) : (size - left) / (right - left)
    return Double(index) + 0.5 + share
  }
}
