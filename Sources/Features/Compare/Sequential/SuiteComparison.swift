import Basics
import Runner

/// All cases of a live comparison under one error rate, and the choice of the case to measure next.
///
/// A case stops at its first verdict. The choice of the next case may depend on all earlier blocks
/// (alternating slices of both sides of a case), because the random side assignment of the next
/// block does not depend on them.
package struct SuiteComparison: Sendable {
  private enum State {
    case open
    case decided(LiveVerdict, isRejected: Bool)
    case removed
  }

  package let policy: LivePolicy
  /// The blocks of each case.
  package private(set) var comparisons: [SequentialComparison]
  private var states: [State]
  private var seconds: [Double]

  /// Creates a suite of cases without blocks; cases are identified by index.
  package init(cases: Int, policy: LivePolicy) {
    self.policy = policy
    comparisons = Array(repeating: SequentialComparison(policy: policy), count: cases)
    states = Array(repeating: .open, count: cases)
    seconds = Array(repeating: 0, count: cases)
  }

  /// Adds a block to an open case; a block of a decided or removed case is ignored.
  ///
  /// `seconds` is the total duration of the block, for forecasts.
  package mutating func add(_ logRatio: Double, seconds: Double, to index: Int) {
    guard isOpen(index), logRatio.isFinite else { return }
    comparisons[index].add(logRatio)
    self.seconds[index] += seconds
    decide(index)
  }

  /// Removes a case that cannot be measured; the significance level of the other cases does not
  /// change.
  package mutating func remove(_ index: Int) {
    states[index] = .removed
  }

  /// The verdict so far; `nil` if the case was removed.
  package func verdict(of index: Int) -> LiveVerdict? {
    switch states[index] {
    case .removed: nil
    case .decided(let verdict, _): verdict
    case .open: .cannotTell(shortfall(of: index))
    }
  }

  /// The case for which to run the next block, or `nil` if all are decided or removed.
  ///
  /// Cases take turns until all have the minimum number of blocks; then the case whose verdict is
  /// expected to take the least time is chosen.
  package var nextCase: Int? {
    let open = states.indices.filter(isOpen)
    let blocks = { (index: Int) in comparisons[index].logRatios.count }
    if let fewest = open.min(by: { blocks($0) < blocks($1) }),
      blocks(fewest) < policy.minimumBlocks
    {
      return fewest
    }
    let needed = open.map { ($0, shortfall(of: $0).seconds ?? .infinity) }
    return needed.min { $0.1 < $1.1 }?.0
  }

  private func isOpen(_ index: Int) -> Bool {
    if case .open = states[index] { true } else { false }
  }

  private func shortfall(of index: Int) -> Shortfall {
    let comparison = comparisons[index]
    let blocks = comparison.logRatios.count
    return comparison.shortfall(
      logThreshold: Holm(suite: comparisons.count, level: policy.suiteLevel)
        .nextLogThreshold(rejected: rejected),
      secondsPerBlock: blocks == 0 ? nil : seconds[index] / Double(blocks)
    )
  }

  private var rejected: Int {
    states.count { if case .decided(_, isRejected: true) = $0 { true } else { false } }
  }

  // A rejection of 'no change' for one case lowers the threshold for the others, so a block of one
  // case can decide another case.
  private mutating func decide(_ index: Int) {
    let rejected = Holm(suite: comparisons.count, level: policy.suiteLevel).rejected(evidence)
    for index in rejected.sorted() where isOpen(index) {
      states[index] = .decided(comparisons[index].changed, isRejected: true)
    }
    if isOpen(index), let unchanged = comparisons[index].unchanged {
      states[index] = .decided(unchanged, isRejected: false)
    }
  }

  // Holm's procedure takes p-values; the inverse of the largest e-value so far is a p-value. Cases
  // found unchanged do not take part.
  private var evidence: [Int: Double] {
    var evidence: [Int: Double] = [:]
    for (index, comparison) in comparisons.enumerated() {
      switch states[index] {
      case .removed, .decided(_, isRejected: false): continue
      case .open, .decided: evidence[index] = comparison.largestLogEValue
      }
    }
    return evidence
  }
}

/// The error rates and thresholds of a live comparison, chosen before it starts.
package struct LivePolicy: Hashable, Sendable {
  /// The maximum probability of any false alarm in the suite (Holm).
  package var suiteLevel = 0.005
  /// The minimum change that fails the comparison; smaller changes are only reported.
  package var floor = 0.01
  /// The smallest change worth finding; 'unchanged' means smaller than this.
  package var margin = 0.02
  /// The maximum probability that a change of at least ``margin`` is called unchanged.
  package var equivalenceLevel = 0.05
  /// The minimum number of blocks for a verdict; with seven blocks, the 95 % interval is still
  /// unbounded.
  package var minimumBlocks = 8
  /// The multiple of the budget beyond which a verdict is considered out of reach.
  package var outOfReach = 10.0

  package init() {}

  /// The policy for each of several comparisons that are reported together.
  ///
  /// The probability of any false alarm in all comparisons together is at most this policy's, even
  /// if they depend on each other.
  package func divided(among comparisons: Int) -> LivePolicy {
    var part = self
    part.suiteLevel /= Double(max(1, comparisons))
    return part
  }
}

struct Holm {
  /// The number of cases at the start.
  ///
  /// Cases that failed or were found unchanged do not lower the threshold of the others.
  let suite: Int
  let level: Double

  func rejected(_ logEValues: [Int: Double]) -> Set<Int> {
    let ordered = logEValues.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    var rejected = 0
    while rejected < ordered.count,
      ordered[rejected].value >= log(Double(suite - rejected) / level)
    {
      rejected += 1
    }
    return Set(ordered.prefix(rejected).map(\.key))
  }

  func nextLogThreshold(rejected: Int) -> Double { log(Double(max(1, suite - rejected)) / level) }
}
