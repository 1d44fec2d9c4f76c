import DataModel

/// Reads how dates are made: within a period, or after another date.
struct DateRecipeReader {
  let reader: AttributeRecipeReader

  func date(_ value: YAMLValue) -> AttributeGenerator? {
    guard value.scalar != .null else {
      return .date(DefaultGenerators.date(in: reader.period))
    }
    guard let mapping = value.mapping() else { return nil }
    return mapping["after"] == nil ? inPeriod(mapping) : later(mapping)
  }

  private func inPeriod(_ mapping: YAMLMapping) -> AttributeGenerator? {
    mapping.reportKeys(except: ["from", "to", "pattern", "precision", "ordered", "after"])
    let patterns = ActivityPattern.allCases.map { (word: $0.rawValue, value: $0) }
    var recipe = DefaultGenerators.date(in: reader.period)
    if let value = mapping["from"], let time = Self.time(value) { recipe.from = time }
    if let value = mapping["to"], let time = Self.time(value) { recipe.to = time }
    if let value = mapping["pattern"], let pattern = value.choice(of: patterns) {
      recipe.pattern = pattern
    }
    if let precision = precision(mapping) { recipe.precision = precision }
    if let value = mapping["ordered"], let isOrdered = value.boolean() {
      recipe.isOrdered = isOrdered
    }
    guard recipe.from < recipe.to else {
      mapping.report("\(mapping.name) ends before it begins")
      return nil
    }
    return .date(recipe)
  }

  private func later(_ mapping: YAMLMapping) -> AttributeGenerator? {
    mapping.reportKeys(except: ["after", "days", "precision"])
    guard let base = mapping["after"].flatMap({ reader.sibling($0, of: [.date]) }) else {
      return nil
    }
    let days =
      mapping["days"].map { DistributionReader(isWhole: false).distribution($0) }
      ?? DefaultGenerators.laterDays
    guard let days else { return nil }
    return .laterDate(
      attribute: base,
      days: days,
      precision: precision(mapping) ?? .microsecond
    )
  }

  private func precision(_ mapping: YAMLMapping) -> DatePrecision? {
    let choices = DatePrecision.allCases.map { (word: $0.rawValue, value: $0) }
    return mapping["precision"].flatMap { $0.choice(of: choices) }
  }

  /// Seconds since 2001-01-01 of a date such as `2026-04-01` or `2026-04-01T12:00:00Z`.
  static func time(_ value: YAMLValue) -> Double? {
    guard let text = value.string() else { return nil }
    guard let seconds = ReferenceDate.seconds(iso8601: text) else {
      value.report(
        "\(value.name) must be a date such as 2026-04-01 or 2026-04-01T12:00:00Z, not '\(text)'"
      )
      return nil
    }
    return Double(seconds)
  }
}
