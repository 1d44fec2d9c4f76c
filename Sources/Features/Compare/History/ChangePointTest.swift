import Basics
import Foundation
import Runner

/// Detects changes in the times of successive commits, with one error rate for a whole history.
///
/// If the order of the values is random, a new value's rank among all values so far is uniform for
/// any distribution, so outliers and ties do no harm. The test bets that ranks are extremely high
/// or low from some commit on, and sums the wealth from the bets over all starting commits. The
/// probability that the sum ever exceeds 1/α is at most α (Ville 1939; Vovk, Gammerman and Shafer
/// 2005), so it may be checked after each commit. Autocorrelated values do not have uniform ranks,
/// so a change is reported only if no autocorrelation remains after the change is removed.
package struct ChangePointTest: Hashable, Sendable {
  /// The probability that any alarm is ever raised in a history of unchanged code.
  package static let level = 0.05
  /// The minimum number of series among which the significance level is divided.
  ///
  /// The minimum leaves room for a suite to grow.
  package static let leastSeries = 20
  /// The minimum number of values for a change; with fewer values, autocorrelation cannot be
  /// judged.
  package static let fewest = 50
  /// The autocorrelation of successive ranks at or above which a change is not reported.
  package static let mostCorrelation = 0.1

  /// The result of the test for a series.
  package enum Verdict: Hashable, Sendable {
    case noChange
    /// The first index after the change, the ratio of the medians, and the index at which the alarm
    /// was raised.
    case change(at: Int, ratio: Double, alarm: Int)
    /// The values of neighboring commits are correlated, which the state of a machine can also
    /// cause.
    case autocorrelated(Double)
    /// There may be a change, but there are too few values to confirm it; the associated value is
    /// the number of values.
    case tooFew(Int)
    /// A large, lasting step as defined by ``SuspectedStep``: the first index after the step and
    /// the ratio of the medians.
    case suspected(at: Int, ratio: Double)
  }

  /// The logarithm of the wealth at which an alarm is raised, given each series' share of the
  /// level.
  private let threshold: Double

  /// Creates a test for each of a number of series, which share the level.
  package init(series: Int) {
    threshold = log(Double(max(series, Self.leastSeries)) / Self.level)
  }

  /// Finds all changes of a series; the values after each change are tested as a series of their
  /// own.
  ///
  /// If no change is found in the remaining values, a suspected step may be reported instead.
  package func verdicts(of values: [Double], named name: String) -> [Verdict] {
    var (found, start): ([Verdict], Int) = ([], 0)
    while true {
      let rest = Array(values[start...])
      let verdict = verdict(of: rest, named: "\(name) \(start)")
      guard case .change(let place, let ratio, let alarm) = verdict else {
        if let step = SuspectedStep(in: rest) {
          return found + [.suspected(at: start + step.place, ratio: step.ratio)]
        }
        return found.isEmpty || verdict != .noChange ? found + [verdict] : found
      }
      found.append(.change(at: start + place, ratio: ratio, alarm: start + alarm))
      start += place
    }
  }

  /// Finds the first change of a series, using only the values up to the alarm.
  ///
  /// Further values never withdraw the change. The name seeds the random order of equal values.
  package func verdict(of values: [Double], named name: String) -> Verdict {
    var bets = Bets()
    var suspicion = Verdict.noChange
    let seed = SplitMix64.hash(name)
    for index in values.indices {
      let wealth = bets.add(values[index], seed: seed)
      guard wealth >= threshold else { continue }
      let seen = Array(values[...index])
      let place = Self.split(seen)
      let correlation = Self.correlation(of: seen, split: place)
      if seen.count < Self.fewest {
        suspicion = .tooFew(seen.count)
      } else if correlation >= Self.mostCorrelation {
        suspicion = .autocorrelated(correlation)
      } else {
        let before = RunningMedian(of: Array(seen[..<place])).value
        let after = RunningMedian(of: Array(seen[place...])).value
        return .change(at: place, ratio: before > 0 ? after / before : 1, alarm: index)
      }
    }
    return suspicion
  }
}

extension ChangePointTest {
  /// The wealth from bets on ranks, over all starting commits, both directions and several bet
  /// sizes.
  private struct Bets {
    /// A bet of size κ pays κ·p^(κ−1), whose mean is 1 if p is uniform.
    private static let sizes = [0.1, 0.25, 0.5]

    private var values: [Double] = []
    private var high = [Double](repeating: 0, count: sizes.count)
    private var low = [Double](repeating: 0, count: sizes.count)
    private var reserve = 1.0

    mutating func add(_ value: Double, seed: UInt64) -> Double {
      let word = SplitMix64.word(seed, 0xC0FF_EE, UInt64(values.count))
      // A random number in (0, 1) that breaks ties between equal values.
      let order = (Double(word >> 11) + 0.5) / 9_007_199_254_740_992
      let less = values.count { $0 < value }
      let equal = values.count { $0 == value } + 1
      let count = Double(values.count + 1)
      let share = (Double(less) + order * Double(equal)) / count
      let stake = Self.stake(at: values.count)
      reserve -= stake
      for (place, size) in Self.sizes.enumerated() {
        let part = stake / Double(2 * Self.sizes.count)
        high[place] = (high[place] + part) * size * pow(max(1 - share, 1e-9), size - 1)
        low[place] = (low[place] + part) * size * pow(max(share, 1e-9), size - 1)
      }
      values.append(value)
      return log((high + low).reduce(reserve, +))
    }

    /// The stake of the bets that start at an index; all stakes together are at most 1.
    private static func stake(at index: Int) -> Double {
      let place = Double(index + 10)
      return log(9) / (place * log(place) * log(place))
    }
  }

  /// The index at which the ranks before and after it differ the most.
  package static func split(_ values: [Double]) -> Int {
    let ranks = ranks(of: values)
    let middle = Double(values.count + 1) / 2
    var (sum, best, place) = (0.0, -1.0, 1)
    for index in values.indices.dropLast() {
      sum += ranks[index] - middle
      let count = Double(index + 1)
      let distance = abs(sum) / (count * (Double(values.count) - count)).squareRoot()
      if distance > best { (best, place) = (distance, index + 1) }
    }
    return place
  }

  /// The correlation of each value's rank with the next value's, after removing the step at the
  /// split.
  static func correlation(of values: [Double], split: Int) -> Double {
    let before = RunningMedian(of: Array(values[..<split])).value
    let after = RunningMedian(of: Array(values[split...])).value
    let left = values.enumerated().map { $1 - ($0 < split ? before : after) }
    let ranks = ranks(of: left)
    let middle = Double(values.count + 1) / 2
    let centred = ranks.map { $0 - middle }
    let spread = centred.reduce(0) { $0 + $1 * $1 }
    guard spread > 0 else { return 0 }
    return zip(centred, centred.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } / spread
  }

  /// The ranks of the values, from 1; equal values share their mean rank.
  private static func ranks(of values: [Double]) -> [Double] {
    let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
    var ranks = [Double](repeating: 0, count: values.count)
    var start = 0
    while start < order.count {
      var end = start
      while end + 1 < order.count, values[order[end + 1]] == values[order[start]] { end += 1 }
      for place in start...end { ranks[order[place]] = Double(start + end) / 2 + 1 }
      start = end + 1
    }
    return ranks
  }
}
