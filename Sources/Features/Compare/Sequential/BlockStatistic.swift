import Basics

/// The statistic that reduces the slices of a block (short timed parts that alternate between the
/// sides) to one number: the logarithm of the ratio of the head's times (the side under test) to
/// the base's.
package enum BlockStatistic: String, Hashable, Sendable, CaseIterable {
  /// The log ratio of the lower quintiles of the sides' slice times.
  ///
  /// Both sides run the same plan of slices, and other work on the machine can only lengthen
  /// slices.
  case lowerFifths
  /// The log ratio of the sums of the sides' slice times, without pairs that were delayed.
  ///
  /// It is used for whole trials and for slices that end by time, because the n-th slices of the
  /// two sides then cover different work.
  case ratioOfSums

  /// Returns the block's log ratio, or `nil` if no pair has a time on both sides.
  package func logRatio(of pairs: [SlicePair]) -> Double? {
    let pairs = pairs.usable
    guard !pairs.isEmpty else { return nil }
    switch self {
    case .lowerFifths:
      // Subtract logarithms instead of dividing, so that swapping the sides changes only the sign,
      // to the last digit.
      return log(pairs.map(\.head).lowerFifth) - log(pairs.map(\.base).lowerFifth)
    case .ratioOfSums:
      let kept = pairs.undisturbed
      return log(kept.reduce(0) { $0 + $1.head }) - log(kept.reduce(0) { $0 + $1.base })
    }
  }
}

extension [Double] {
  /// The lower quintile; for ten values, the second smallest.
  fileprivate var lowerFifth: Double { sorted()[(count - 1) / 5] }
}

/// The times of two consecutive slices, one of each side.
package struct SlicePair: Hashable, Sendable {
  /// The slices' times, in any unit that is the same for both sides.
  package var base: Double
  package var head: Double

  package init(base: Double, head: Double) {
    self.base = base
    self.head = head
  }

  fileprivate var isUsable: Bool {
    base > 0 && head > 0 && base.isFinite && head.isFinite
  }

  fileprivate var sum: Double { base + head }
}

extension Sequence<SlicePair> {
  /// The pairs in which both sides have a measurable time.
  ///
  /// Pairs are dropped as a whole, so the remaining pairs are as symmetric as before.
  var usable: [SlicePair] { filter(\.isUsable) }

  /// The pairs that other work on the machine did not delay.
  ///
  /// Pairs are judged by the sum of both sides, so that neither side is favored.
  var undisturbed: [SlicePair] {
    let limit = 1.5 * RunningMedian(of: map(\.sum)).value
    return filter { $0.sum <= limit }
  }
}
