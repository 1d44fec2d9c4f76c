import Basics
import Foundation
import Reporting
import Runner

/// The winner maps of a workload's sweeps, each with its key and the same numbers as a table.
struct LeadBlocks {
  private let workload: WorkloadResult
  private let series: SeriesNumbers

  init(_ workload: WorkloadResult, _ series: SeriesNumbers) {
    self.workload = workload
    self.series = series
  }

  var blocks: [ReportPage.Block] { workload.leads.flatMap(blocks) }

  private func blocks(of map: LeadMap) -> [ReportPage.Block] {
    let title = "Fastest \(CaseDimensions.words(map.alternatives)) by \(map.parameter)"
    return [
      .heading(Inline(title)), ReportPage.Block(key: key(of: map)),
      .figure(ReportPage.Figure(wide: { chart(of: map, title, width: $0).drawing })),
      .note("Columns are the measured sizes; distances have no meaning."),
      .table(table(of: map, title)),
    ]
  }

  /// The alternatives of a map, by the numbers of their colors.
  private func names(of map: LeadMap) -> [(number: Int, name: String)] {
    let all = Set(map.rows.flatMap(\.cells).flatMap { $0.leaders + $0.medians.keys })
    return all.map { (series.number(of: $0), $0) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
  }

  private func key(of map: LeadMap) -> ReportPage.Key {
    let symbols = names(of: map).map { number, name in
      ReportPage.Key.Entry(
        symbol: Inline.symbol(series: number),
        text: Inline(CaseDimensions.words(name))
      )
    }
    return ReportPage.Key(
      entries: [
        .init(text: "Filled cell: clear winner, with its lead over the next."),
        .init(text: "Gray cell: the marked alternatives are equally fast."),
      ] + symbols + [.init(text: "◆ ├─┤ size at which the winner changes, with its interval")]
    )
  }

  private func chart(of map: LeadMap, _ title: String, width: Double) -> WinnerMap {
    let names = names(of: map)
    let highest = names.map(\.number).max() ?? 0
    return WinnerMap(
      title: title,
      names: (1...max(highest, 1)).map { number in
        names.first { $0.number == number }.map { CaseDimensions.words($0.name) } ?? ""
      },
      columns: map.sizes.map { text($0, of: map) },
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
            WinnerMap.Crossover(
              column: Self.column(of: change.size, in: map.sizes),
              interval: Self.column(
                of: change.lower,
                in: map.sizes
              )...max(
                Self.column(of: change.upper, in: map.sizes),
                Self.column(of: change.lower, in: map.sizes)
              ),
              size: text(change.size, of: map),
              range: range(of: change, in: map)
            )
          }
        )
      },
      width: width
    )
  }

  private func table(of map: LeadMap, _ title: String) -> ReportPage.Table {
    ReportPage.Table(
      name: "Table: winners and the sizes at which they change",
      label: title,
      caption: "Alternatives that are not clearly slower than another, the fastest first, with the "
        + "lead",
      columns: ["Operation", "Changes"] + map.sizes.map { Inline(text($0, of: map)) },
      rows: map.rows.map { row in
        let changes = row.changes.map { change in
          "\(CaseDimensions.words(change.from)) to \(CaseDimensions.words(change.to)) at "
            + "\(text(change.size, of: map)) (\(range(of: change, in: map)))"
        }
        let cells = map.sizes.map { size -> Inline in
          guard let cell = row.cells.first(where: { $0.size == size }) else {
            return Inline(FigureColumn.absent)
          }
          let names = cell.leaders.map(CaseDimensions.words).joined(separator: ", ")
          let lead = cell.lead.map { " \(Figures.significant($0.value))×" } ?? ""
          return Inline(names + lead)
        }
        return ReportPage.Table.Row(
          Inline(Self.label(of: row)),
          [Inline(changes.isEmpty ? "none in this range" : changes.joined(separator: "; "))] + cells
        )
      }
    )
  }

  private func range(of change: LeadMap.Change, in map: LeadMap) -> String {
    "\(text(change.lower, of: map)) to \(text(change.upper, of: map))"
  }

  private func text(_ size: Double, of map: LeadMap) -> String {
    // Sizes of blobs are powers of two.
    let quantity: ChartAxis.Quantity = map.unit == .bytes ? .binaryBytes : .init(map.unit)
    return quantity.text(size)
  }

  /// `operation=insert,durability=commit` as `insert, durability commit`.
  private static func label(of row: LeadMap.Row) -> String {
    row.name.split(separator: ",").map { part in
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2 else { return CaseDimensions.words(String(part)) }
      let value = CaseDimensions.words(pair[1])
      return pair[0] == "operation" ? value : "\(pair[0]) \(value)"
    }.joined(separator: ", ").capitalizedFirst
  }

  /// Where a size stands among the columns: the middle of the third one is 2.5.
  private static func column(of size: Double, in sizes: [Double]) -> Double {
    guard let first = sizes.first, let last = sizes.last, size > first else { return 0.5 }
    guard size < last, size > 0 else { return Double(sizes.count) - 0.5 }
    let index = (sizes.firstIndex { $0 >= size } ?? 1) - 1
    let share = log(size / sizes[index]) / log(sizes[index + 1] / sizes[index])
    return Double(index) + 0.5 + share
  }
}
