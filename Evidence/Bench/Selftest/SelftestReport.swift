import Basics
import Compare
import Runner

/// The results of the self-test: how often live comparisons were right, and how long they took.
struct SelftestReport: Hashable, Sendable {
  /// The results of comparing cases with themselves, or with copies slowed by a fixed share of
  /// time.
  struct Tries: Hashable, Sendable {
    /// The injected slow-down as a share of time; 0 if the sides are equal.
    var planted: Double
    var count = 0
    /// The number of 'changed' verdicts; without an injected slow-down, all of them are false
    /// alarms.
    var changed = 0
    var undecided = 0
    var seconds = 0.0

    init(planted: Double) {
      self.planted = planted
    }
  }

  struct Planted: Hashable, Sendable {
    var name: String
    var words: String
    /// The exact cost with the largest relative increase; `nil` if no cost increased.
    var metric: Metric?
    var base: Double
    var head: Double
    var repeats: Bool
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

  var suites = 0
  var suitesWithAlarm = 0
  var suiteLevel: Double
  var casesPerSuite: Int
  var null = Tries(planted: 0)
  var slowed: [Tries]
  var planted: [Planted] = []
  var failures: [String] = []
  /// The scatter of a block's log ratio: the median over the cases with equal sides.
  var scatter: Double?
  /// The mean duration of a block, in seconds.
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
  enum Judgement: Hashable, Sendable {
    case good
    /// Detecting a change of 2 % in four of five tries takes the given number of seconds, which is
    /// too long.
    case tooNoisy(seconds: Double)
    case tooManyAlarms
    /// The counters did not show an injected change, or differed between trials.
    case missedPlanted
    case failedCases
    case unknown
  }

  /// The specified time to detect a change of 2 %: 60 s per case (statistics.md, section 6).
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

  /// Returns the seconds until a change is detected in 80 % of tries, predicted from the scatter of
  /// the blocks.
  func secondsToFind(change: Double) -> Double? {
    guard let scatter, let blockSeconds else { return nil }
    let blocks = BlockForecast(
      scale: scatter,
      logThreshold: log(Double(max(1, casesPerSuite)) / suiteLevel)
    ).blocksToChanged(by: log1p(change))
    return blocks * blockSeconds
  }

  /// The exit status: 1 if the specification is missed, 3 if the machine is too noisy, otherwise 0.
  var exitStatus: Int32 {
    switch judgement {
    case .good: 0
    case .tooManyAlarms, .missedPlanted, .failedCases: 1
    case .tooNoisy, .unknown: 3
    }
  }
}
