import DataModel

/// Dates in a period; times are in seconds since 2001-01-01 00:00 UTC.
struct DateRule: ValueRule {
  static let entry = ValueGenerator(
    "date",
    "dates of a period, or dates that follow another date",
    types: [.date],
    keys: [
      .init("from", "a date; default: the recipe's period"), .init("to", "a date"),
      .init("pattern", "any, working or leisure"),
      .init("precision", "microsecond, second, minute, hour or day"),
      .init("ordered", "whether later rows have later dates"),
      .init("after", "date attributes, also RELATIONSHIP.ATTRIBUTE; the latest counts"),
      .init("days", "a distribution, with 'after'"),
      .init("atOnce", "share of dates that are the one they follow, with 'after'"),
      .init("future", "whether dates may lie after the period, with 'after'"),
    ],
    examples: [
      .init("date", 694_224_000...788_918_400),
      .init(
        "{ date: { from: 2024-01-01, to: 2024-03-01, ordered: true } }",
        725_760_000...730_944_000
      ),
      .init("{ date: { after: madeAt, days: { exponential: 3 } } }", 694_224_000...800_000_000),
    ],
    bare: { DateRule(in: $0.period) },
    parse: { input in
      guard let mapping = input.value.mapping() else { return nil }
      return mapping["after"] == nil
        ? period(mapping, input) : LaterDateRule.rule(mapping, input.reader)
    }
  )

  var from: Double
  var to: Double
  var pattern = WorkingCalendar.Pattern.working
  var precision = Precision.microsecond
  var isOrdered = false

  init(in period: ClosedRange<Double>) {
    (from, to) = (period.lowerBound, period.upperBound)
  }

  private static func period(
    _ mapping: YAMLMapping,
    _ input: ValueGenerator.Input
  ) -> (any ValueRule)? {
    mapping.reportKeys(except: input.keys.filter { !["days", "atOnce", "future"].contains($0) })
    var rule = DateRule(in: input.reader.period)
    if let time = mapping["from"].flatMap(time) { rule.from = time }
    if let time = mapping["to"].flatMap(time) { rule.to = time }
    rule.pattern = mapping["pattern"].flatMap { $0.choice() } ?? rule.pattern
    rule.precision = mapping["precision"].flatMap { $0.choice() } ?? rule.precision
    rule.isOrdered = mapping["ordered"].flatMap { $0.boolean() } ?? rule.isOrdered
    guard rule.from < rule.to else {
      mapping.report("\(mapping.name) ends before it begins")
      return nil
    }
    return rule
  }

  /// The seconds since 2001-01-01 of a date such as `2026-04-01` or `2026-04-01T12:00:00Z`; `nil`
  /// after reporting a problem.
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

  var isDistinct: Bool { isOrdered && precision == .microsecond }

  func period(_ others: [String: AttributeRecipe], depth: Int) -> ClosedRange<Double> { from...to }

  func generator(at site: AttributeSite) -> any CellGenerator { Generator(self, rows: site.rows) }

  private struct Generator: CellGenerator {
    private let calendar: WorkingCalendar
    private let first: Double
    private let span: Double
    private let precision: Precision
    private let orderedRows: Int?

    init(_ recipe: DateRule, rows: Int) {
      calendar = WorkingCalendar(recipe.pattern)
      first = calendar.activity(until: recipe.from)
      span = calendar.activity(until: recipe.to) - first
      precision = recipe.precision
      orderedRows = recipe.isOrdered ? rows : nil
    }

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      var share = draws.unit()
      if let orderedRows { share = (Double(row) + share) / Double(max(orderedRows, 1)) }
      cell.setNumeric(precision.cut(calendar.time(at: first + share * span)))
    }
  }

  enum Precision: String, CaseIterable, Hashable, Sendable {
    case microsecond
    case second
    case minute
    case hour
    case day

    /// Rounds a time down to the precision and adds a number of units of the precision.
    func cut(_ time: Double, up steps: Double = 0) -> Double {
      switch self {
      case .microsecond: ((time * 1_000_000).rounded(.down) + steps) / 1_000_000
      case .second: time.rounded(.down) + steps
      case .minute: ((time / 60).rounded(.down) + steps) * 60
      case .hour: ((time / 3_600).rounded(.down) + steps) * 3_600
      case .day: ((time / 86_400).rounded(.down) + steps) * 86_400
      }
    }
  }
}

/// Dates a number of days after other dates of the same object or of a to-one relationship's
/// target.
///
/// Unless `isFuture` is set, no date is later than the end of the recipe's period, the store's
/// present time.
struct LaterDateRule: ValueRule {
  /// The paths of the earlier dates; the latest of these dates is used.
  let paths: [AttributePath]
  let period: ClosedRange<Double>
  var days = DistributionRecipe(.exponential(mean: 12))
  var precision = DateRule.Precision.microsecond
  /// The share of dates that are equal to the earlier date.
  var atOnce = 0.0
  var isFuture = false
  /// Whether the recipe contains this rule; `false` if the rule is derived from the attribute's
  /// name.
  var isWritten = false
  /// Whether a date is required even if there is no earlier date.
  var isRequired = false

  fileprivate static func rule(_ mapping: YAMLMapping, _ reader: AttributeReader) -> LaterDateRule?
  {
    mapping.reportKeys(except: ["after", "days", "precision", "atOnce", "future"])
    let items = mapping["after"]?.itemsOrSelf() ?? []
    let paths = items.compactMap { reader.path($0, of: [.date]) }
    guard paths.count == items.count, !paths.isEmpty else { return nil }
    var rule = LaterDateRule(paths: paths, period: reader.period)
    (rule.isWritten, rule.isRequired) = (true, !reader.attribute.isOptional)
    if let value = mapping["days"] {
      guard let days = DistributionReader(isWhole: false).distribution(value) else { return nil }
      rule.days = days
    }
    rule.precision = mapping["precision"].flatMap { $0.choice() } ?? rule.precision
    rule.atOnce = mapping["atOnce"].flatMap { $0.share() } ?? 0
    rule.isFuture = mapping["future"].flatMap { $0.boolean() } ?? false
    return rule
  }

  var isEditable: Bool { false }

  func period(_ others: [String: AttributeRecipe], depth: Int) -> ClosedRange<Double> {
    guard depth < others.count, let own = paths.first(where: { $0.relationship == nil }),
      let base = others[own.attribute]?.rule.period(others, depth: depth + 1)
    else { return period }
    return base
  }

  func generator(at site: AttributeSite) -> any CellGenerator {
    let bases = paths.compactMap { site.source($0) }
    guard bases.count == paths.count else { return ConstantGenerator(value: .null) }
    return Generator(
      bases: bases,
      rule: self,
      days: days.distribution(),
      other: isRequired ? DateRule(in: period).generator(at: site) : nil
    )
  }

  private struct Generator: CellGenerator {
    let bases: [PathSource]
    let rule: LaterDateRule
    let days: any Distribution
    let other: (any CellGenerator)?

    private static let longestDelay = 365_250.0
    private static let tries = 8

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      var start: Double?
      for base in bases {
        base.fill(&cell, row: row)
        if let time = cell.number { start = max(start ?? time, time) }
      }
      guard let start else {
        if let other { other.fill(&cell, row: row, draws: &draws) } else { cell.setNull() }
        return
      }
      if rule.atOnce > 0, draws.happens(rule.atOnce) { return cell.setNumeric(start) }
      let time = later(start, row, &draws)
      let cut = rule.precision.cut(time)
      // If the rounded date precedes the earlier date, use the next unit instead.
      cell.setNumeric(cut >= start ? cut : min(rule.precision.cut(time, up: 1), max(start, latest)))
    }

    private var latest: Double { rule.isFuture ? .infinity : rule.period.upperBound }

    /// Adds eight hours to a time in the first six hours of a day.
    ///
    /// Times within four hours after the earlier date stay unchanged.
    private func awake(_ time: Double, after delay: Double) -> Double {
      let hours = (time / 3_600).rounded(.down)
      // For whole numbers, this formula equals `truncatingRemainder` but takes a tenth of the time.
      let hour = hours - 24 * (hours / 24).rounded(.towardZero)
      guard hour < 6, delay > 4 * 3_600, time + 8 * 3_600 <= latest else { return time }
      return time + 8 * 3_600
    }

    /// Draws a date that is not after the latest permitted time.
    ///
    /// After a few failed tries, it draws a date from the remaining time.
    private func later(_ start: Double, _ row: Int, _ draws: inout Draws) -> Double {
      let room = latest - start
      for _ in 0..<Self.tries {
        let delay = min(max(0, days.value(row: row, draws: &draws)), Self.longestDelay) * 86_400
        if delay <= room { return awake(start + delay, after: delay) }
      }
      return start + draws.unit() * max(room, 0)
    }
  }
}
