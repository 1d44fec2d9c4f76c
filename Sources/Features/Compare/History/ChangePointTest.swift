import Basics
import Foundation
import Runner

/// Finds changes in the times of commits as they come in, with one error rate for a whole history.
///
/// A new value's rank among all values so far is uniform where values come in any order, whatever
/// their distribution: outliers and equal values do no harm. The test bets on ranks being extreme
/// from some commit on, high or low, and adds the bets on all starts up. The sum exceeds 1/α at any
/// time with a probability of at most α (Ville 1939; Vovk, Gammerman and Shafer 2005), so it may be
/// looked at after each commit. Values that depend on the ones before have no uniform ranks: a change
/// is reported only where what is left after it shows no autocorrelation.
package struct ChangePointTest: Hashable, Sendable {
  /// In how many histories of unchanged code any alarm may be raised, ever.
  package static let level = 0.05
  /// Series that share the level where a history has fewer; a suite grows.
  package static let leastSeries = 20
  /// Fewer values say too little of how they depend on each other.
  package static let fewest = 50
  /// The most autocorrelation of ranks, from each value to the next, with which a change counts.
  package static let mostCorrelation = 0.1

  /// What a series shows.
  package enum Verdict: Hashable, Sendable {
    case noChange
    /// The first index after the change, the ratio of the medians, and the index of the alarm.
    case change(at: Int, ratio: Double, alarm: Int)
    /// The values move together over several commits, which machines do as well as code.
    case autocorrelated(Double)
    /// Something moved, and there are too few values to say what.
    case tooFew(Int)
    /// A large step lasts, by ``SuspectedStep``: the first index after it and the ratio of the medians.
    case suspected(at: Int, ratio: Double)
  }

  /// The share of the level that one series has, as a threshold of the logarithm of its bets.
  private let threshold: Double

  /// A test of one of some series.
  package init(series: Int) {
    threshold = log(Double(max(series, Self.leastSeries)) / Self.level)
  }

  /// All changes of a series: after each, the values since are a series of their own.
  ///
  /// What they do not decide may be suspected.
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

  /// The first change of a series, as it was found with the values up to the alarm.
  ///
  /// More values never withdraw it. The name seeds the order of equal values.
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
  /// The wealth of bets on the ranks of values, over all starts, both directions and some sizes.
  private struct Bets {
    /// A bet of size κ pays κ·p^(κ−1), which is 1 on average of a uniform p.
    private static let sizes = [0.1, 0.25, 0.5]

    private var values: [Double] = []
    private var high = [Double](repeating: 0, count: sizes.count)
    private var low = [Double](repeating: 0, count: sizes.count)
    /// What is not yet bet.
    private var reserve = 1.0

    /// The logarithm of the wealth after one more value.
    mutating func add(_ value: Double, seed: UInt64) -> Double {
      let word = SplitMix64.word(seed, 0xC0FF_EE, UInt64(values.count))
      // In (0, 1): the order among equal values, which must be random.
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

    /// What a start at an index gets; all of them together get no more than 1.
    private static func stake(at index: Int) -> Double {
      let place = Double(index + 10)
      return log(9) / (place * log(place) * log(place))
    }
  }

  /// Where ranks differ most before and after.
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

  /// The correlation of each value's rank with the next one's, without the step at the split.
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

  /// Ranks from 1; equal values share theirs.
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
