import DataModel

/// A generation rule for values that depend on other attributes of the same object.
///
/// A profile describes the dependency.
struct RuledColumn: ValueRule {
  let column: ShapedColumn
  let follow: DateFollow?
  let presence: Presence?

  /// Returns the rule that generates a column: the column itself if it depends on no other
  /// attribute or must be unique.
  static func rule(_ column: ShapedColumn, of known: ColumnProfile?) -> any ValueRule {
    guard let known, column.unique == nil, known.follow != nil || known.presence != nil else {
      return column
    }
    return RuledColumn(column: column, follow: known.follow, presence: known.presence)
  }

  var bases: [String] { (follow?.attributes ?? []) + (presence.map { [$0.attribute] } ?? []) }
  var isEditable: Bool { false }

  func generator(at site: AttributeSite) -> any CellGenerator {
    let gaps = follow?.gaps ?? []
    let present = presence.flatMap { presence in
      site.sources[presence.attribute].map {
        Self.rows(where: $0, isOneOf: presence.values, of: site.rows)
      }
    }
    return Generator(
      plain: column.generator(at: site.with(rows: present?.members ?? site.rows)),
      present: present,
      earlier: gaps.isEmpty ? [] : (follow?.attributes ?? []).compactMap { site.sources[$0] },
      gaps: gaps,
      choice: WeightedChoice(weights: gaps.isEmpty ? [1] : gaps.map { Double($0.count) }),
      unit: column.profile.grain == .day ? 86_400 : column.profile.grain == .whole ? 1 : 0,
      last: column.profile.bins.last.map { max($0.from, $0.to) } ?? .infinity
    )
  }

  /// The rows in which another attribute has one of the given values, or any value if the list is
  /// empty.
  ///
  /// The column's values are divided among these rows only; otherwise, rows without a value would
  /// reduce the number of rows that share a value.
  private static func rows(
    where decider: AttributeSource,
    isOneOf values: [Value],
    of count: Int
  ) -> RowSet {
    var cell = Cell()
    let rows = (0..<count).filter { row in
      decider.fill(&cell, row: row)
      return cell.kind != .null && (values.isEmpty || values.contains { cell.holds($0) })
    }
    return RowSet(ascending: rows, count: count)
  }

  private struct Generator: CellGenerator {
    let plain: any CellGenerator
    let present: RowSet?
    let earlier: [AttributeSource]
    let gaps: [Bin]
    let choice: WeightedChoice
    let unit: Double
    let last: Double

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      guard let place = present.map({ $0.rank(of: row) }) ?? row else { return cell.setNull() }
      var latest = -Double.infinity
      for source in earlier {
        source.fill(&cell, row: row)
        if let time = cell.number { latest = max(latest, time) }
      }
      plain.fill(&cell, row: place, draws: &draws)
      guard latest.isFinite, cell.kind != .null else { return }
      let gap = gaps[choice.choice(&draws)]
      var time = latest + gap.from + draws.unit() * (gap.to - gap.from)
      if unit > 0 { time = (time / unit).rounded(.down) * unit }
      cell.setNumeric(max(min(time, last), latest))
    }
  }
}
