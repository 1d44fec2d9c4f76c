import DataModel

/// Dates of a period; times in seconds since 2001-01-01 00:00 UTC.
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
      .init("after", "another date attribute"),
      .init("days", "a distribution, with 'after'"),
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
    mapping.reportKeys(except: input.keys.filter { $0 != "days" })
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

  /// What dates are rounded down to.
  enum Precision: String, CaseIterable, Hashable, Sendable {
    case microsecond
    case second
    case minute
    case hour
    case day

    func cut(_ time: Double) -> Double {
      switch self {
      case .microsecond: (time * 1_000_000).rounded(.down) / 1_000_000
      case .second: time.rounded(.down)
      case .minute: (time / 60).rounded(.down) * 60
      case .hour: (time / 3_600).rounded(.down) * 3_600
      case .day: (time / 86_400).rounded(.down) * 86_400
      }
    }
  }
}

/// Dates that follow another date of the same object by a number of days.
struct LaterDateRule: ValueRule {
  let attribute: String
  var days = DistributionRecipe(.exponential(mean: 12))
  var precision = DateRule.Precision.microsecond

  fileprivate static func rule(_ mapping: YAMLMapping, _ reader: AttributeReader) -> LaterDateRule?
  {
    mapping.reportKeys(except: ["after", "days", "precision"])
    guard let base = mapping["after"].flatMap({ reader.sibling($0, of: [.date]) }) else {
      return nil
    }
    var rule = LaterDateRule(attribute: base)
    if let value = mapping["days"] {
      guard let days = DistributionReader(isWhole: false).distribution(value) else { return nil }
      rule.days = days
    }
    rule.precision = mapping["precision"].flatMap { $0.choice() } ?? rule.precision
    return rule
  }

  var bases: [String] { [attribute] }
  var isEditable: Bool { false }

  func period(_ others: [String: AttributeRecipe], depth: Int) -> ClosedRange<Double> {
    depth < others.count ? others[attribute]?.rule.period(others, depth: depth + 1) ?? 0...0 : 0...0
  }

  func generator(at site: AttributeSite) -> any CellGenerator {
    guard let base = site.sources[attribute] else { return ConstantGenerator(value: .null) }
    return Generator(base: base, days: days.distribution(), precision: precision)
  }

  private struct Generator: CellGenerator {
    let base: AttributeSource
    let days: any Distribution
    let precision: DateRule.Precision

    private static let longestDelay = 365_250.0

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      base.fill(&cell, row: row)
      let start: Double
      switch cell.kind {
      case .integer: start = Double(cell.integer)
      case .real: start = cell.real
      default: return cell.setNull()
      }
      let delay = min(max(0, days.value(row: row, draws: &draws)), Self.longestDelay) * 86_400
      // Rounding down must not carry the date before the one it follows.
      let later = precision.cut(start + delay)
      cell.setNumeric(max(later, start))
    }
  }
}

/// How activity spreads over the hours of a week, and the map from activity to time and back.
///
/// Times are seconds since 2001-01-01, which was a Monday. The map rises strictly, so times drawn
/// through it keep their order.
struct WorkingCalendar: Sendable {
  private let before: [Double]

  init(_ pattern: Pattern) {
    var before: [Double] = [0]
    for hour in 0..<168 {
      before.append(before[hour] + Self.weight(pattern, isWeekend: hour >= 120, hour: hour % 24))
    }
    self.before = before
  }

  private static func weight(_ pattern: Pattern, isWeekend: Bool, hour: Int) -> Double {
    switch (pattern, isWeekend, hour) {
    case (.any, _, _): 1
    case (_, _, 0..<6): 1
    case (.working, true, _): 4
    case (.working, false, 12): 30
    case (.working, false, 8..<18): 64
    case (.working, false, _): 8
    case (.leisure, true, 9..<23): 48
    case (.leisure, false, 18..<23): 64
    case (.leisure, _, _): 10
    }
  }

  private static let week = 604_800.0

  /// Whether a time falls on Monday to Friday from 8 to 18.
  static func isWorkingHour(_ time: Double) -> Bool {
    let inWeek = time - (time / week).rounded(.down) * week
    let hour = Int(inWeek / 3_600)
    return hour < 120 && (8..<18).contains(hour % 24)
  }

  func activity(until time: Double) -> Double {
    let weeks = (time / Self.week).rounded(.down)
    let hours = (time - weeks * Self.week) / 3_600
    let hour = min(max(Int(hours), 0), 167)
    let inHour = (before[hour + 1] - before[hour]) * (hours - Double(hour))
    return weeks * before[168] + before[hour] + inHour
  }

  func time(at activity: Double) -> Double {
    let weeks = (activity / before[168]).rounded(.down)
    let rest = activity - weeks * before[168]
    var (low, high) = (0, 168)
    while high - low > 1 {
      let middle = (low + high) / 2
      if before[middle] <= rest { low = middle } else { high = middle }
    }
    let fraction = (rest - before[low]) / (before[low + 1] - before[low])
    return weeks * Self.week + (Double(low) + fraction) * 3_600
  }

  /// When people use an app.
  enum Pattern: String, CaseIterable, Hashable, Sendable {
    /// Every hour alike.
    case any
    /// Monday to Friday from 8 to 18, with a dip at noon.
    case working
    /// Evenings and weekends.
    case leisure
  }
}
