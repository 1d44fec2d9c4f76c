import Basics
import Runner

/// Under which conditions a record was taken: the columns that all ledgers begin with.
struct Conditions: Equatable {
  static let columns = ["commit", "load", "loadAverage", "seed"]

  /// Of the measured build; `+changes` behind it where its sources had some.
  var commit: String
  /// Whether the bench kept the machine busy besides.
  var hasOtherLoad: Bool
  /// Of the last minute before, which also sees what others do on the machine.
  var loadAverage: Double
  /// Decided the coins.
  var seed: UInt64

  /// For a line of progress, behind what was done.
  var note: String { hasOtherLoad ? ", other load" : "" }

  var fields: [String] {
    [
      commit, hasOtherLoad ? "other" : "quiet", Figures.plain(loadAverage, decimals: 2),
      String(seed),
    ]
  }

  init(commit: String, hasOtherLoad: Bool, loadAverage: Double, seed: UInt64) {
    self.commit = commit
    self.hasOtherLoad = hasOtherLoad
    self.loadAverage = loadAverage
    self.seed = seed
  }

  init?(fields: [String]) {
    guard fields.count >= Self.columns.count, let average = Double(fields[2]),
      let seed = UInt64(fields[3]), ["other", "quiet"].contains(fields[1])
    else { return nil }
    self.init(
      commit: fields[0],
      hasOtherLoad: fields[1] == "other",
      loadAverage: average,
      seed: seed
    )
  }
}

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
      + [Figures.plain(seconds, decimals: 2), Figures.plain(scatter, decimals: 5), alarms]
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
    conditions.fields + [Figures.plain(planted, decimals: 3), id, verdict.rawValue]
      + [median, lower, upper].map { Figures.plain($0, decimals: 5) }
      + [String(blocks), Figures.plain(seconds, decimals: 2)]
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
      + [
        Figures.plain(base, decimals: 0), Figures.plain(head, decimals: 0),
        Figures.plain(seconds, decimals: 2),
      ]
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

/// The times of one case compared with itself, block by block, for rules that want samples.
struct TraceRecord: LedgerRecord {
  static let columns =
    Conditions.columns + ["case", "layout", "seconds", "headFirst", "base", "head"]

  var conditions: Conditions
  var id: String
  var layout: TraceRunner.Layout
  var seconds: Double
  var isHeadFirst: [Bool]
  /// Nanoseconds of a side in each block.
  var base: [Double]
  var head: [Double]

  var fields: [String] {
    let times = [base, head].map {
      $0.map { Figures.plain($0, decimals: 0) }.joined(separator: " ")
    }
    let coins = isHeadFirst.map { $0 ? "1" : "0" }.joined()
    return conditions.fields + [id, layout.rawValue, Figures.plain(seconds, decimals: 2), coins]
      + times
  }

  /// All times of both sides as they followed each other; of blocks that are not interleaved.
  var inTime: [Double] {
    zip(isHeadFirst, zip(base, head)).flatMap { $0 ? [$1.1, $1.0] : [$1.0, $1.1] }
  }
}

extension TraceRecord {
  init?(fields: [String]) {
    guard let conditions = Conditions(fields: fields) else { return nil }
    let own = Array(fields.dropFirst(Conditions.columns.count))
    guard own.count == 6, let layout = TraceRunner.Layout(rawValue: own[1]),
      let seconds = Double(own[2])
    else { return nil }
    let times = own[4...5].map { $0.split(separator: " ").compactMap { Double($0) } }
    let coins = own[3].map { $0 == "1" }
    guard times[0].count == coins.count, times[1].count == coins.count,
      times.allSatisfy({ $0.allSatisfy { $0 > 0 } })
    else { return nil }
    self.init(
      conditions: conditions,
      id: own[0],
      layout: layout,
      seconds: seconds,
      isHeadFirst: coins,
      base: times[0],
      head: times[1]
    )
  }
}
