import Basics
import Reporting

extension StoreSurvey {
  /// The maximum number of entities in a diagram, so that it stays readable.
  private static let mostBoxes = 24

  var sizeMap: Report.Figure? {
    guard space.limitation == nil, !space.parts.isEmpty else { return nil }
    var parts = space.parts.map { part -> SizeMap.Part in
      let kind = Self.kind(of: part)
      return .init(
        name: part.name,
        amount: Double(part.bytes),
        text: "\(Figures.bytes(part.bytes)), \(kind.word)",
        series: kind.series
      )
    }
    if space.freeBytes > 0 {
      parts.append(
        .init(
          name: "free pages",
          amount: Double(space.freeBytes),
          text: Figures.bytes(space.freeBytes),
          series: 5
        )
      )
    }
    return Report.Figure(
      "What takes the room",
      remark: "areas are sizes: tables blue, indexes orange, history green, the rest gray",
      isWide: true,
      SizeMap(title: "Bytes of tables and indexes", parts: parts)
    )
  }

  private static func kind(of part: Space.Part) -> (word: String, series: Int) {
    let table = part.table ?? part.name
    if table.hasPrefix("ATRANSACTION") || table.hasPrefix("ACHANGE") { return ("history", 3) }
    if part.table != nil { return ("index", 2) }
    return table.hasPrefix("Z_M") || table.hasPrefix("Z_PRIMARYKEY") || table.hasPrefix("sqlite_")
      ? ("bookkeeping", 5) : ("table", 1)
  }

  /// The entities with objects and their relationships; entities with findings are marked.
  var diagram: [Report.Block] {
    let shown = Array(used.sorted { $0.count > $1.count }.prefix(Self.mostBoxes))
    let names = Set(shown.map(\.name))
    let links = shown.flatMap { entity in
      entity.relationships.filter { relationship in
        guard names.contains(relationship.destination) else { return false }
        // Draw one line for both sides of a relationship, from the side whose name sorts first.
        guard let inverse = relationship.inverse else { return true }
        return (entity.name, relationship.name) <= (relationship.destination, inverse)
      }.map { link(of: $0, from: entity) }
    }
    guard !links.isEmpty else { return [] }
    let marked = findings.filter { $0.severity != .note }
    let boxes = shown.map { entity in
      let own = marked.filter { finding in
        let place = finding.place.split(separator: ".").first.map(String.init) ?? finding.place
        return place == entity.name || place == entity.table
      }
      return EntityDiagram.Box(
        name: entity.name,
        lines: [Figures.counted(entity.countWithSubentities, "object")]
          + own.prefix(2).map { "\($0.severity.sign) \($0.rule)" },
        isMarked: !own.isEmpty
      )
    }
    let rest = used.count - shown.count
    let more = rest > 0 ? " The \(rest) entities with the fewest objects are left out." : ""
    let chart = EntityDiagram(title: "Entities and relationships", boxes: boxes, links: links)
    return [
      .charts(
        [.init("Entities and relationships", isWide: true, chart)],
        note: """
          A fork is at the end with many objects. ! and ✗: findings at the entity, by their \
          rule.\(more)
          """
      )
    ]
  }

  private func link(
    of relationship: EntitySurvey.Relationship,
    from entity: EntitySurvey
  ) -> EntityDiagram.Link {
    let back = entities.first { $0.name == relationship.destination }?.relationships
      .first { $0.name == relationship.inverse }
    return .init(
      from: entity.name,
      to: relationship.destination,
      isFromMany: back?.isToMany ?? !relationship.isToMany,
      isToMany: relationship.isToMany,
      name: "\(entity.name).\(relationship.name) → \(relationship.destination)"
    )
  }
}
