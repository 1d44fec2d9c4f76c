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
