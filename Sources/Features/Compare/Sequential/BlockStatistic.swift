import Basics

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

/// The times of one slice on each side, run one right after the other.
package struct SlicePair: Hashable, Sendable {
  /// In any unit, the same on both sides.
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
  /// The pairs in which the clock saw both sides.
  ///
  /// A pair goes for both sides or not at all, so what is left is as symmetric as what was there.
  var usable: [SlicePair] { filter(\.isUsable) }

  /// The pairs without those that something else on the machine held up.
  ///
  /// What is looked at is the sum of both sides, so that it favours neither.
  var undisturbed: [SlicePair] {
    let limit = 1.5 * RunningMedian(of: map(\.sum)).value
    return filter { $0.sum <= limit }
  }
}
