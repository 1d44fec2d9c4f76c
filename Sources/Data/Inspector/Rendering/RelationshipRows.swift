import Reporter

/// The table of an entity's relationships.
struct RelationshipRows {
  let entity: EntitySurvey
  let palette: Palette
  let width: Int

  /// The titles of the columns, which stand once above all entities.
  var header: String { palette.paint(table.header, .faint) }

  var lines: [String] { entity.relationships.map { table.line(cells($0)) } }

  private var table: TextTable {
    TextTable(columns: [
      .init(title: "relationship", width: 20), .init(title: "leads to", width: 17),
      .init(title: "none", width: 5, isRight: true),
      .init(title: "shape", width: DistributionSurvey.binCount),
      .init(title: "least…median…most", width: width - 59),
    ])
  }

  private func cells(_ relationship: RelationshipSurvey) -> [String] {
    let arrow = relationship.isToMany ? (relationship.isOrdered ? "⇶ " : "⇉ ") : "→ "
    let rule = relationship.deleteRule == "nullify" ? "" : relationship.deleteRule
    let fanOut = relationship.fanOut
    var facts: [String] = []
    if let fanOut, relationship.isToMany {
      facts.append(
        SurveyText.spread(
          fanOut,
          width: width - 59 - (rule.isEmpty ? 0 : rule.count + 1),
          SurveyText.whole
        )
      )
    }
    if relationship.dangling > 0 {
      facts.append("\(SurveyText.count(relationship.dangling)) dangling")
    }
    if !rule.isEmpty { facts.append(rule) }
    let isFlat = fanOut.map { $0.minimum == $0.maximum } ?? true
    return [
      relationship.name, arrow + relationship.destination,
      SurveyText.share(relationship.empty, of: relationship.count),
      isFlat ? "" : SurveyText.blocks(fanOut?.histogram ?? []),
      facts.joined(separator: " "),
    ]
  }
}
