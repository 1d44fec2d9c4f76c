/// One look for a planted regression that counters must show.
struct CounterRecord: LedgerRecord {
  static let columns =
    Conditions.columns + ["planted", "found", "repeats", "metric", "base", "head", "seconds"]

  var conditions: Conditions
  var planted: String
  var isFound: Bool
  /// Whether two runs of the base had equal counters.
  var repeats: Bool
  /// The counter that rose by the largest factor.
  var metric: String
  var base: Double
  var head: Double
  var seconds: Double

  var fields: [String] {
    conditions.fields
      + [planted, isFound ? "yes" : "no", repeats ? "yes" : "no", metric]
      + [Decimals.text(base, 0), Decimals.text(head, 0), Decimals.text(seconds, 2)]
  }
}

extension CounterRecord {
  init?(fields: [String]) {
    guard let conditions = Conditions(fields: fields) else { return nil }
    let own = Array(fields.dropFirst(Conditions.columns.count))
    let numbers = own.suffix(3).compactMap { Double($0) }
    guard own.count == 7, numbers.count == 3 else { return nil }
    self.init(
      conditions: conditions,
      planted: own[0],
      isFound: own[1] == "yes",
      repeats: own[2] == "yes",
      metric: own[3],
      base: numbers[0],
      head: numbers[1],
      seconds: numbers[2]
    )
  }
}
