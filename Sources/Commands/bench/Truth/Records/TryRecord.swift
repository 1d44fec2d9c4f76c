/// One try to find a planted slow-down.
struct TryRecord: LedgerRecord {
  enum Verdict: String {
    case slower
    /// Found, but called smaller than the floor.
    case belowFloor
    case faster
    case unchanged
    case cannotTell
  }

  static let columns =
    Conditions.columns + [
      "planted", "case", "verdict", "median", "lower", "upper", "blocks", "seconds",
    ]

  var conditions: Conditions
  /// The share of work that the head does more.
  var planted: Double
  var id: String
  var verdict: Verdict
  /// The median of the blocks, as a change, and its interval.
  var median: Double
  var lower: Double
  var upper: Double
  var blocks: Int
  var seconds: Double

  var isFound: Bool { verdict == .slower }

  var fields: [String] {
    conditions.fields + [Decimals.text(planted, 3), id, verdict.rawValue]
      + [median, lower, upper].map { Decimals.text($0, 5) }
      + [String(blocks), Decimals.text(seconds, 2)]
  }
}

extension TryRecord {
  init?(fields: [String]) {
    guard let conditions = Conditions(fields: fields) else { return nil }
    let own = Array(fields.dropFirst(Conditions.columns.count))
    guard own.count == 8, let planted = Double(own[0]), let verdict = Verdict(rawValue: own[2]),
      let blocks = Int(own[6]), let seconds = Double(own[7])
    else { return nil }
    let changes = own[3...5].compactMap { Double($0) }
    guard changes.count == 3 else { return nil }
    self.init(
      conditions: conditions,
      planted: planted,
      id: own[1],
      verdict: verdict,
      median: changes[0],
      lower: changes[1],
      upper: changes[2],
      blocks: blocks,
      seconds: seconds
    )
  }
}
