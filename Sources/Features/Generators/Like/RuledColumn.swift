import DataModel

/// The values of an attribute that depend on others of the same object, as a profile found it.
struct RuledColumn: ValueRule {
  let column: ShapedColumn
  let follow: DateFollow?
  let presence: Presence?

  /// The column itself where nothing is known to decide it; values that must differ stay as they are.
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
    return Generator(
      plain: column.generator(at: site),
      decider: presence.flatMap { site.sources[$0.attribute] },
      values: presence?.values ?? [],
      earlier: gaps.isEmpty ? [] : (follow?.attributes ?? []).compactMap { site.sources[$0] },
      gaps: gaps,
      choice: WeightedChoice(weights: gaps.isEmpty ? [1] : gaps.map { Double($0.count) }),
      unit: column.profile.grain == .day ? 86_400 : column.profile.grain == .whole ? 1 : 0,
      last: column.profile.bins.last.map { max($0.from, $0.to) } ?? .infinity
    )
  }

  private struct Generator: CellGenerator {
    let plain: any CellGenerator
    /// What decides whether there is a value; `nil` where nothing does.
    let decider: AttributeSource?
    let values: [Value]
    let earlier: [AttributeSource]
    let gaps: [Bin]
    let choice: WeightedChoice
    let unit: Double
    let last: Double

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      if let decider {
        decider.fill(&cell, row: row)
        let isKnown = values.isEmpty || values.contains { cell.holds($0) }
        guard cell.kind != .null, isKnown else { return cell.setNull() }
      }
      var latest = -Double.infinity
      for source in earlier {
        source.fill(&cell, row: row)
        if let time = cell.number { latest = max(latest, time) }
      }
      plain.fill(&cell, row: row, draws: &draws)
      guard latest.isFinite, cell.kind != .null else { return }
      let gap = gaps[choice.choice(&draws)]
      var time = latest + gap.from + draws.unit() * (gap.to - gap.from)
      if unit > 0 { time = (time / unit).rounded(.down) * unit }
      cell.setNumeric(max(min(time, last), latest))
    }
  }
}
