/// What a live comparison promises, and what it takes for a change: chosen before the start.
package struct LivePolicy: Hashable, Sendable {
  /// The error rate that holds over a whole suite.
  package enum MultipleTesting: Hashable, Sendable {
    /// The probability of any false alarm in the suite is at most `suiteLevel` (Holm).
    case holm
    /// The expected share of false alarms among all alarms is at most this (e-BH).
    case falseDiscovery(rate: Double)
  }

  package var multipleTesting = MultipleTesting.holm
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
}
