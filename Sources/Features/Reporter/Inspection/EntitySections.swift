import Basics
import Inspector
import Reporting

extension TextReport {
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

    private func keyLines(_ key: EntitySurvey.Key) -> [String] {
      let name = key.properties.joined(separator: "+")
      let kind = key.isConstraint ? "unique constraint" : "likely key"
      return TextReport.fact(
        "repeats",
        "\(kind) \(name): \(SurveyText.count(key.duplicatedValues)) of its values occur more than "
          + "once, up to \(SurveyText.count(key.largestGroup)) times; "
          + "\(SurveyText.counted(key.surplus, "duplicate object"))",
        width: width
      )
    }
  }
}

extension TextReport.EntitySections {
  /// The table of an entity's attributes.
  struct AttributeRows {
    let entity: EntitySurvey
    let palette: Palette
    let width: Int

    /// The titles of the columns, which stand once above all entities.
    var header: String { palette.paint(table.header, .faint) }

    var lines: [String] {
      let shown = entity.attributes.filter { !isNeverSet($0) && $0.column != nil }
      let never = entity.attributes.filter(isNeverSet)
      let transient = entity.attributes.filter { $0.column == nil }
      return shown.map { table.line(cells($0)) } + names("never set", never)
        + names("not stored", transient)
    }

    private func isNeverSet(_ attribute: EntitySurvey.Attribute) -> Bool {
      attribute.count > 0 && attribute.nulls == attribute.count
    }

    private func names(_ label: String, _ attributes: [EntitySurvey.Attribute]) -> [String] {
      guard !attributes.isEmpty else { return [] }
      let text = attributes.map(\.name).joined(separator: ", ")
      return TextReport.fact(label, text, width: width).map { palette.paint($0, .faint) }
    }

    private var rangeWidth: Int { width - 59 }

    private var table: TextTable {
      TextTable(
        [
          .left("attribute", 20), .left("type", 9), .right("null", 4), .right("distinct", 8),
          .left("shape", DistributionSurvey.binCount), .left("least…median…most", rangeWidth),
        ],
        margin: 2
      )
    }

    private func cells(_ attribute: EntitySurvey.Attribute) -> [String] {
      let head = [attribute.name, Self.typeName(attribute.type)]
      guard attribute.count > 0 else { return head + ["", "", "", ""] }
      let distinct = attribute.distinct.map {
        (attribute.isDistinctExact ? "" : "~") + SurveyText.count(Self.rounded($0, attribute))
      }
      return head + [
        SurveyText.share(Int64(attribute.nulls), of: Int64(attribute.count)), distinct ?? "–",
        shape(of: attribute), range(of: attribute),
      ]
    }

    // An estimate has no more digits than it can be trusted for.
    private static func rounded(_ count: Int, _ attribute: EntitySurvey.Attribute) -> Int64 {
      let values = attribute.count - attribute.nulls
      guard !attribute.isDistinctExact else { return Int64(count) }
      let bounded = min(count, values)
      var unit = 1
      while bounded / unit >= 1000 { unit *= 10 }
      return Int64(bounded / unit * unit)
    }

    private func shape(of attribute: EntitySurvey.Attribute) -> String {
      let distribution = attribute.numbers ?? attribute.external?.sizes ?? attribute.lengths
      guard let distribution, distribution.minimum < distribution.maximum else { return "" }
      return SurveyText.blocks(distribution.histogram)
    }

    private func range(of attribute: EntitySurvey.Attribute) -> String {
      if let numbers = attribute.numbers { return range(of: numbers, attribute.type) }
      if let sizes = attribute.external?.sizes { return bytes(sizes, " files") }
      guard let lengths = attribute.lengths else { return "" }
      switch attribute.type {
      case "string", "uri": return spread(lengths, " chars", SurveyText.whole)
      case "uuid" where lengths.minimum == 16 && lengths.maximum == 16: return ""
      default: return bytes(lengths)
      }
    }

    private func range(of numbers: DistributionSurvey, _ type: String) -> String {
      switch type {
      case "boolean":
        guard numbers.minimum < numbers.maximum else {
          return numbers.maximum == 0 ? "always false" : "always true"
        }
        let trues = numbers.histogram.last ?? 0
        return SurveyText.share(Int64(trues), of: Int64(numbers.count)) + " true"
      case "date":
        let (first, last) = (SurveyText.day(numbers.minimum), SurveyText.day(numbers.maximum))
        return first == last ? first : "\(first)…\(last)"
      case "integer16", "integer32", "integer64": return spread(numbers, "", SurveyText.whole)
      default: return spread(numbers, "", SurveyText.number)
      }
    }

    private func bytes(_ distribution: DistributionSurvey, _ unit: String = "") -> String {
      spread(distribution, unit) { SurveyText.bytes(Int64($0)) }
    }

    /// The range with its median, or without where there is no room for it.
    private func spread(
      _ distribution: DistributionSurvey,
      _ unit: String,
      _ text: (Double) -> String
    ) -> String {
      SurveyText.spread(distribution, unit: unit, width: rangeWidth, text)
    }

    private static func typeName(_ type: String) -> String {
      [
        "integer16": "int16", "integer32": "int32", "integer64": "int64", "boolean": "bool",
        "transformable": "transform",
      ][type] ?? type
    }
  }
}

extension TextReport.EntitySections {
  /// The table of an entity's relationships.
  struct RelationshipRows {
    let entity: EntitySurvey
    let palette: Palette
    let width: Int

    /// The titles of the columns, which stand once above all entities.
    var header: String { palette.paint(table.header, .faint) }

    var lines: [String] { entity.relationships.map { table.line(cells($0)) } }

    private var table: TextTable {
      TextTable(
        [
          .left("relationship", 20), .left("leads to", 17), .right("none", 5),
          .left("shape", DistributionSurvey.binCount), .left("least…median…most", width - 59),
        ],
        margin: 2
      )
    }

    private func cells(_ relationship: EntitySurvey.Relationship) -> [String] {
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
}
