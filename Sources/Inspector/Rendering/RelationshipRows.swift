import Reporter

/// The table of an entity's relationships.
struct RelationshipRows {
  let entity: EntitySurvey
  let palette: Palette
  let width: Int

  var lines: [String] {
    guard !entity.relationships.isEmpty else { return [] }
    return [palette.paint(table.header, .faint)]
      + entity.relationships.map { table.line(cells($0)) }
  }

  private var table: TextTable {
    TextTable(columns: [
      .init(title: "relationship", width: 18), .init(title: "leads to", width: 17),
      .init(title: "none", width: 5, isRight: true),
      .init(title: "shape", width: DistributionSurvey.binCount),
      .init(title: "fewest … median … most", width: width - 58),
    ])
  }

  private func cells(_ relationship: RelationshipSurvey) -> [String] {
    let arrow = relationship.isToMany ? (relationship.isOrdered ? "⇶ " : "⇉ ") : "→ "
    let rule = relationship.deleteRule == "nullify" ? "" : relationship.deleteRule
    let fanOut = relationship.fanOut
    var facts: [String] = []
    if let fanOut, relationship.isToMany {
      let parts = [fanOut.minimum, fanOut.p50, fanOut.maximum].map(Figures.number)
      facts.append(parts[0] == parts[2] ? "always \(parts[0])" : parts.joined(separator: " … "))
    }
    if relationship.dangling > 0 { facts.append("\(relationship.dangling) dangling") }
    if !rule.isEmpty { facts.append(rule) }
    let isFlat = fanOut.map { $0.minimum == $0.maximum } ?? true
    return [
      relationship.name, arrow + relationship.destination,
      Figures.share(relationship.empty, of: relationship.count),
      isFlat ? "" : Figures.blocks(fanOut?.histogram ?? []),
      facts.joined(separator: ", "),
    ]
  }
}
