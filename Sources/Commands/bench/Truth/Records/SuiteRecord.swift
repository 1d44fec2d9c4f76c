/// One suite of cases compared with themselves.
struct SuiteRecord: LedgerRecord {
  static let columns =
    Conditions.columns + [
      "cases", "failed", "changed", "unchanged", "undecided", "blocks", "seconds", "scatter",
      "alarms",
    ]

  var conditions: Conditions
  var cases: Int
  var failed: Int
  /// Cases said to have changed, at whatever size: false alarms.
  var changed: Int
  var unchanged: Int
  var undecided: Int
  var blocks: Int
  var seconds: Double
  /// The median over the cases of the robust standard deviation of a block's log ratio.
  var scatter: Double
  /// IDs of the cases that changed, between spaces.
  var alarms: String

  var fields: [String] {
    conditions.fields
      + [cases, failed, changed, unchanged, undecided, blocks].map { String($0) }
      + [Decimals.text(seconds, 2), Decimals.text(scatter, 5), alarms]
  }
}

extension SuiteRecord {
  init?(fields: [String]) {
    guard let conditions = Conditions(fields: fields) else { return nil }
    let own = fields.dropFirst(Conditions.columns.count)
    let counts = own.prefix(6).compactMap { Int($0) }
    let numbers = own.dropFirst(6).prefix(2).compactMap { Double($0) }
    guard own.count == 9, counts.count == 6, numbers.count == 2 else { return nil }
    self.init(
      conditions: conditions,
      cases: counts[0],
      failed: counts[1],
      changed: counts[2],
      unchanged: counts[3],
      undecided: counts[4],
      blocks: counts[5],
      seconds: numbers[0],
      scatter: numbers[1],
      alarms: own.last ?? ""
    )
  }
}
