import Foundation

/// How the slices of a block become its one number, the log ratio of head over base.
package enum BlockStatistic: String, Hashable, Sendable, CaseIterable {
  /// The log ratio of the times that a fifth of a side's slices stay below: both sides run the same
  /// plan of slices, of which other work on the machine only ever lengthens some.
  case lowerFifths
  /// The log ratio of the sums: slices cut by time, of which the n-th on both sides are unlike, and
  /// whole trials.
  case ratioOfSums

  /// The block's log ratio; `nil` where no pair has a time on both sides.
  package func logRatio(of pairs: [SlicePair]) -> Double? {
    let pairs = pairs.usable
    guard !pairs.isEmpty else { return nil }
    switch self {
    case .lowerFifths:
      // A difference of logarithms, not the logarithm of a quotient: exchanging the sides gives the
      // same digits with the other sign.
      return log(pairs.map(\.head).lowerFifth) - log(pairs.map(\.base).lowerFifth)
    case .ratioOfSums:
      let kept = pairs.undisturbed
      return log(kept.reduce(0) { $0 + $1.head }) - log(kept.reduce(0) { $0 + $1.base })
    }
  }
}

extension [Double] {
  /// The value that a fifth of the others are not above; of ten values the second.
  fileprivate var lowerFifth: Double { sorted()[(count - 1) / 5] }
}
