import Basics
import Reporter

/// One section for each entity that has objects; the others in one line.
struct EntitySections {
  let survey: StoreSurvey
  let palette: Palette
  let width: Int

  var lines: [String] {
    // An entity without objects of its own may still declare what its sub-entities' objects have.
    let shown = survey.entities.filter { $0.countWithSubentities > 0 }
    let empty = survey.entities.filter { $0.countWithSubentities == 0 }.map(\.name)
    var sections = shown.map(section)
    if let first = shown.first { sections.insert(titles(first), at: 0) }
    if !empty.isEmpty {
      sections.append(
        [palette.paint("WITHOUT OBJECTS", .bold)]
          + TerminalText.wrapped(empty.joined(separator: ", "), to: width - 2).map { "  " + $0 }
      )
    }
    return Array(sections.filter { !$0.isEmpty }.joined(separator: [""]))
  }

  private func titles(_ entity: EntitySurvey) -> [String] {
    guard !entity.attributes.isEmpty || !entity.relationships.isEmpty else { return [] }
    return [
      palette.paint("ENTITIES", .bold),
      AttributeRows(entity: entity, palette: palette, width: width).header,
      RelationshipRows(entity: entity, palette: palette, width: width).header,
    ]
  }

  private func section(_ entity: EntitySurvey) -> [String] {
    let name = palette.paint(TerminalText.plain(entity.name), .bold)
    let parent = entity.superentity.map { " : \(TerminalText.plain($0))" } ?? ""
    let kind = entity.isAbstract ? "abstract, " : ""
    let below =
      entity.countWithSubentities > entity.count
      ? ", \(SurveyText.count(entity.countWithSubentities)) with its sub-entities" : ""
    let head =
      "\(name)\(parent)  \(kind)\(SurveyText.counted(entity.count, "object"))\(below)"
      + palette.paint("  \(TerminalText.plain(entity.table)) \(entity.number)", .faint)
    return [head] + AttributeRows(entity: entity, palette: palette, width: width).lines
      + RelationshipRows(entity: entity, palette: palette, width: width).lines
      + entity.keys.filter { $0.surplus > 0 }.flatMap(keyLines)
  }

  private func keyLines(_ key: KeySurvey) -> [String] {
    let name = key.properties.joined(separator: "+")
    let kind = key.isConstraint ? "unique constraint" : "likely key"
    return TextReport.fact(
      "repeats",
      "\(kind) \(name): \(SurveyText.count(key.duplicatedValues)) of its values occur more than once, "
        + "up to \(SurveyText.count(key.largestGroup)) times; "
        + "\(SurveyText.counted(key.surplus, "object")) too many",
      width: width
    )
  }
}
