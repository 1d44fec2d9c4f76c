import Foundation

extension SelftestReport {
  /// Whether this machine keeps the promise, as far as the self-test can tell.
  package enum Judgement: Hashable, Sendable {
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

  package var judgement: Judgement {
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
  package func secondsToFind(change: Double) -> Double? {
    guard let scatter, let blockSeconds else { return nil }
    let blocks = BlockForecast(
      scale: scatter,
      logThreshold: log(Double(max(1, casesPerSuite)) / suiteLevel)
    ).blocksToChanged(by: log1p(change))
    return blocks * blockSeconds
  }

  /// 1 where the tool breaks its promise, 3 where the machine is too noisy, else 0.
  package var exitStatus: Int32 {
    switch judgement {
    case .good: 0
    case .tooManyAlarms, .missedPlanted, .failedCases: 1
    case .tooNoisy, .unknown: 3
    }
  }
}
