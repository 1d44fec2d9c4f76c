import Reporter

/// The table of an entity's attributes.
struct AttributeRows {
  let entity: EntitySurvey
  let palette: Palette
  let width: Int

  var lines: [String] {
    guard !entity.attributes.isEmpty else { return [] }
    return [palette.paint(table.header, .faint)] + entity.attributes.map { table.line(cells($0)) }
  }

  private var table: TextTable {
    TextTable(columns: [
      .init(title: "attribute", width: 18), .init(title: "type", width: 9),
      .init(title: "null", width: 4, isRight: true),
      .init(title: "distinct", width: 8, isRight: true),
      .init(title: "shape", width: DistributionSurvey.binCount),
      .init(title: "smallest … median … largest", width: width - 59),
    ])
  }

  private func cells(_ attribute: AttributeSurvey) -> [String] {
    let head = [attribute.name, Self.typeName(attribute.type)]
    guard attribute.column != nil else { return head + ["", "", "", "transient: not stored"] }
    guard attribute.count > 0 else { return head + ["", "", "", ""] }
    let distinct = attribute.distinct.map {
      (attribute.isDistinctExact ? "" : "~") + Figures.count(Self.rounded($0, attribute))
    }
    return head + [
      Figures.share(Int64(attribute.nulls), of: Int64(attribute.count)), distinct ?? "–",
      shape(of: attribute), range(of: attribute),
    ]
  }

  // An estimate has no more digits than it can be trusted for.
  private static func rounded(_ count: Int, _ attribute: AttributeSurvey) -> Int64 {
    let values = attribute.count - attribute.nulls
    guard !attribute.isDistinctExact else { return Int64(count) }
    let bounded = min(count, values)
    var unit = 1
    while bounded / unit >= 1000 { unit *= 10 }
    return Int64(bounded / unit * unit)
  }

  private func shape(of attribute: AttributeSurvey) -> String {
    let distribution = attribute.numbers ?? attribute.external?.sizes ?? attribute.lengths
    guard let distribution, distribution.minimum < distribution.maximum else { return "" }
    return Figures.blocks(distribution.histogram)
  }

  private func range(of attribute: AttributeSurvey) -> String {
    if let numbers = attribute.numbers { return range(of: numbers, attribute.type) }
    if let sizes = attribute.external?.sizes { return bytes(sizes) + " in files" }
    guard let lengths = attribute.lengths else { return "always null" }
    switch attribute.type {
    case "string", "uri": return spread(lengths, Figures.number) + " chars"
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
      return Figures.share(Int64(trues), of: Int64(numbers.count)) + " true"
    case "date":
      let (first, last) = (Figures.day(numbers.minimum), Figures.day(numbers.maximum))
      return first == last ? first : "\(first) … \(last)"
    default: return spread(numbers, Figures.number)
    }
  }

  private func bytes(_ distribution: DistributionSurvey) -> String {
    spread(distribution) { Figures.bytes(Int64($0)) }
  }

  private func spread(_ distribution: DistributionSurvey, _ text: (Double) -> String) -> String {
    let parts = [distribution.minimum, distribution.p50, distribution.maximum].map(text)
    return parts[0] == parts[2] ? "always \(parts[0])" : parts.joined(separator: " … ")
  }

  private static func typeName(_ type: String) -> String {
    [
      "integer16": "int16", "integer32": "int32", "integer64": "int64", "boolean": "bool",
      "transformable": "transform",
    ][type] ?? type
  }
}
