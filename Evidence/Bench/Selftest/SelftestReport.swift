import Basics
import Compare
import Runner

/// How often a live comparison was right on this machine, and how long it took.
struct SelftestReport: Hashable, Sendable {
  /// Comparisons of one kind, each of a thing with itself or with a slowed copy of itself.
  struct Tries: Hashable, Sendable {
    /// The share of time that was planted; 0 for none.
    var planted: Double
    var count = 0
    /// How many ended with 'changed': alarms where nothing was planted.
    var changed = 0
    var undecided = 0
    var seconds = 0.0

    init(planted: Double) {
      self.planted = planted
    }
  }

  /// A planted regression that counters must show.
  struct Planted: Hashable, Sendable {
    /// The name of its workload file.
    var name: String
    /// What it is, in the workload file's own words.
    var words: String
    /// The exact cost that rose by the largest factor; `nil` where none rose.
    var metric: Metric?
    var base: Double
    var head: Double
    /// Whether two runs of the base had equal counters.
    var repeats: Bool
    /// Why it could not be looked for.
    var failure: String?

    init(name: String, words: String) {
      self.name = name
      self.words = words
      base = 0
      head = 0
      repeats = false
    }

    var isFound: Bool { metric != nil && failure == nil }
  }

  /// Of suites in which nothing was planted.
  var suites = 0
  var suitesWithAlarm = 0
  /// The promise for a whole suite.
  var suiteLevel: Double
  var casesPerSuite: Int
  var null = Tries(planted: 0)
  var slowed: [Tries]
  var planted: [Planted] = []
  /// Why a case of the suites failed, the first few.
  var failures: [String] = []
  /// The scatter of a block's log ratio: the median over the cases where nothing was planted.
  var scatter: Double?
  /// The mean seconds of a block.
  var blockSeconds: Double?
  var seconds = 0.0
  var isInterrupted = false
  var environment: Environment?

  init(suiteLevel: Double, casesPerSuite: Int, slowed: [Double]) {
    self.suiteLevel = suiteLevel
    self.casesPerSuite = casesPerSuite
    self.slowed = slowed.map(Tries.init)
  }
}

extension SelftestReport {
  /// Whether the false-positive rate on this machine is within specification, as far as measured.
  enum Judgement: Hashable, Sendable {
    case good
    /// A change of 2 % takes so many seconds to be found in four of five tries.
    case tooNoisy(seconds: Double)
    /// More false alarms than the promise allows for.
    case tooManyAlarms
    /// A planted change that the counters did not show, or that did not repeat.
    case missedPlanted
    case failedCases
    /// Too few blocks to say anything.
    case unknown
  }

  /// A minute a case is what a change of 2 % may take (statistics.md, section 6).
  private static let longestSearch = 60.0

  var judgement: Judgement {
    if !failures.isEmpty { return .failedCases }
    if planted.contains(where: { !$0.isFound || !$0.repeats }) { return .missedPlanted }
    let alarms = RateInterval(hits: suitesWithAlarm, of: suites)
    if alarms.lower > suiteLevel { return .tooManyAlarms }
    guard let seconds = secondsToFind(change: 0.02), null.count > 0,
      slowed.contains(where: { $0.count > 0 })
    else { return .unknown }
    return seconds > Self.longestSearch ? .tooNoisy(seconds: seconds) : .good
  }

  /// The time that a change takes to be found in 80 % of tries, from the scatter of the blocks.
  func secondsToFind(change: Double) -> Double? {
    guard let scatter, let blockSeconds else { return nil }
    let blocks = BlockForecast(
      scale: scatter,
      logThreshold: log(Double(max(1, casesPerSuite)) / suiteLevel)
    ).blocksToChanged(by: log1p(change))
    return blocks * blockSeconds
  }

  /// 1 where the tool breaks its promise, 3 where the machine is too noisy, else 0.
  var exitStatus: Int32 {
    switch judgement {
    case .good: 0
    case .tooManyAlarms, .missedPlanted, .failedCases: 1
    case .tooNoisy, .unknown: 3
    }
  }
}
