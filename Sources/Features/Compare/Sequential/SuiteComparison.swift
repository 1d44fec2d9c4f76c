import Basics
import Runner

/// All cases of a live comparison, under one error rate, and which of them to measure next.
///
/// A case stops at its first verdict. Which case gets a block may depend on all blocks so far: the
/// random side assignment of the next block does not depend on it.
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

  /// A suite of that many cases, known by position, none measured yet.
  package init(cases: Int, policy: LivePolicy) {
    self.policy = policy
    comparisons = Array(repeating: SequentialComparison(policy: policy), count: cases)
    states = Array(repeating: .open, count: cases)
    seconds = Array(repeating: 0, count: cases)
  }

  /// Takes in a block of an open case; one of a decided or removed case changes nothing.
  ///
  /// - `seconds`: how long the block took with all that belongs to it, for the forecast.
  package mutating func add(_ logRatio: Double, seconds: Double, to index: Int) {
    guard isOpen(index), logRatio.isFinite else { return }
    comparisons[index].add(logRatio)
    self.seconds[index] += seconds
    decide(index)
  }

  /// Ends a case that cannot be measured; the level of the others stays as it was.
  package mutating func remove(_ index: Int) {
    states[index] = .removed
  }

  /// The verdict so far; `nil` for a removed case.
  package func verdict(of index: Int) -> LiveVerdict? {
    switch states[index] {
    case .removed: nil
    case .decided(let verdict, _): verdict
    case .open: .cannotTell(shortfall(of: index))
    }
  }

  /// The case for which the next block should be run; `nil` when all are decided or removed.
  ///
  /// Each in turn until all have the fewest blocks that say anything, then the one whose verdict is
  /// expected to take the least time.
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

  // A rejection lowers what the others need, so a block of one case can decide another.
  private mutating func decide(_ index: Int) {
    let rejected = Holm(suite: comparisons.count, level: policy.suiteLevel).rejected(evidence)
    for index in rejected.sorted() where isOpen(index) {
      states[index] = .decided(comparisons[index].changed, isRejected: true)
    }
    if isOpen(index), let unchanged = comparisons[index].unchanged {
      states[index] = .decided(unchanged, isRejected: false)
    }
  }

  // Holm takes p-values, and the largest e-value so far is the inverse of one. A case found unchanged
  // takes no part.
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

/// What a live comparison promises, and what it takes for a change: chosen before the start.
package struct LivePolicy: Hashable, Sendable {
  /// The probability of any false alarm in the suite is at most this (Holm).
  package var suiteLevel = 0.005
  /// A change smaller than this is reported and fails nothing.
  package var floor = 0.01
  /// The smallest change that one wants found: 'unchanged' means smaller than this.
  package var margin = 0.02
  /// The probability that a change at the margin or beyond is called unchanged.
  package var equivalenceLevel = 0.05
  /// Fewer blocks say nothing; with seven the 95 % interval is still unbounded.
  package var minimumBlocks = 8
  /// What needs more than this multiple of the budget does not end on this machine.
  package var outOfReach = 10.0

  package init() {}

  /// The policy of each of several comparisons that are read together: the probability of any false
  /// alarm in all of them is at most that of this one, however they depend on each other.
  package func divided(among comparisons: Int) -> LivePolicy {
    var part = self
    part.suiteLevel /= Double(max(1, comparisons))
    return part
  }
}

/// The step-down procedure of Holm over the cases of a suite.
struct Holm {
  /// The cases at the start: one that failed or was found unchanged makes no other easier.
  let suite: Int
  let level: Double

  /// Which of the cases are rejected, by position, from the evidence of those that take part.
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

  /// What the next case needs once so many are rejected.
  func nextLogThreshold(rejected: Int) -> Double { log(Double(max(1, suite - rejected)) / level) }
}
