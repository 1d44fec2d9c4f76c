import Foundation

/// How the slices of a block become its one number, the log ratio of head over base.
package enum BlockStatistic: String, Hashable, Sendable, CaseIterable {
  /// The median of the pairs' log ratios: both sides run the same plan of slices.
  case medianOfPairs
  /// The log ratio of the sums: slices cut by time, of which the n-th on both sides are unlike, and
  /// whole trials.
  case ratioOfSums

  /// The block's log ratio; `nil` where no pair has a time on both sides.
  package func logRatio(of pairs: [SlicePair]) -> Double? {
    let pairs = pairs.usable
    guard !pairs.isEmpty else { return nil }
    switch self {
    case .medianOfPairs:
      // A difference of logarithms, not the logarithm of a quotient: exchanging the sides gives the
      // same digits with the other sign.
      return RunningMedian(of: pairs.map { log($0.head) - log($0.base) }).value
    case .ratioOfSums:
      let kept = pairs.undisturbed
      return log(kept.reduce(0) { $0 + $1.head }) - log(kept.reduce(0) { $0 + $1.base })
    }
  }
}
