import Reporter

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

  private func isNeverSet(_ attribute: AttributeSurvey) -> Bool {
    attribute.count > 0 && attribute.nulls == attribute.count
  }

  private func names(_ label: String, _ attributes: [AttributeSurvey]) -> [String] {
    guard !attributes.isEmpty else { return [] }
    let text = attributes.map(\.name).joined(separator: ", ")
    return TextReport.fact(label, text, width: width).map { palette.paint($0, .faint) }
  }

  private var rangeWidth: Int { width - 59 }

  private var table: TextTable {
    TextTable(columns: [
      .init(title: "attribute", width: 20), .init(title: "type", width: 9),
      .init(title: "null", width: 4, isRight: true),
      .init(title: "distinct", width: 8, isRight: true),
      .init(title: "shape", width: DistributionSurvey.binCount),
      .init(title: "least…median…most", width: rangeWidth),
    ])
  }

  private func cells(_ attribute: AttributeSurvey) -> [String] {
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
    return SurveyText.blocks(distribution.histogram)
  }

  private func range(of attribute: AttributeSurvey) -> String {
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
