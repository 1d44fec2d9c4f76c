import Basics

/// The sizes at which a migration is measured, and the order of the runs.
///
/// The order is random over all sizes and repeats. In ascending order, a machine that slows down
/// would look like a cost that grows with the store. One size, the anchor, is measured again at
/// regular intervals to reveal such drift.
package struct LadderDesign: Hashable, Sendable {
  /// One run of the ladder, which is the series of runs on stores of increasing size.
  package struct Turn: Hashable, Sendable {
    /// The number of objects in the store, of all entities together.
    package let objects: Int
    package var isAnchor = false
    /// The factor by which the page cache and, for a migration, its log and batches are scaled
    /// down; usually 1.
    package var cacheDivisor = 1
  }

  /// The number of runs between two runs of the anchor.
  package static let anchorDistance = 5

  /// The numbers of objects at which the migration is measured (the rungs), in ascending order.
  package let rungs: [Int]
  /// The number of runs per rung; at most three for the four largest rungs, which take most of the
  /// time.
  package let repeats: Int
  /// The sizes beyond the largest rung that are measured to evaluate a forecast, but are not used
  /// to make it.
  package let truths: [Int]
  /// The number of runs per size in `truths`.
  package let truthRepeats: Int
  package let seed: UInt64

  package init(
    rungs: [Int],
    repeats: Int,
    truths: [Int] = [],
    truthRepeats: Int = 3,
    seed: UInt64 = 1
  ) {
    self.rungs = rungs.sorted()
    self.repeats = repeats
    self.truths = truths
    self.truthRepeats = truthRepeats
    self.seed = seed
  }

  /// A ladder from 1,000 to 128,000 objects in steps of √2, with five runs per size, or three for
  /// the four largest sizes.
  package static func full(seed: UInt64 = 1) -> LadderDesign {
    LadderDesign(rungs: steps(from: 1000, halves: 14), repeats: 5, seed: seed)
  }

  /// The largest size of a quick ladder and the largest size of a full ladder, in objects.
  package static let (quickTop, fullTop) = (16_000, 128_000)

  /// A ladder from 1,000 to 16,000 objects in steps of √2, with two runs per size.
  package static func quick(seed: UInt64 = 1) -> LadderDesign {
    LadderDesign(rungs: steps(from: 1000, halves: 8), repeats: 2, seed: seed)
  }

  /// Returns sizes in steps of √2, which are small enough to show at which size hash tables double.
  package static func steps(from first: Int, halves: Int) -> [Int] {
    (0...halves).map { step in
      let whole = Double(first << (step / 2))
      return Int((step.isMultiple(of: 2) ? whole : whole * 2.0.squareRoot()).rounded())
    }
  }

  /// The probes: runs with a smaller page cache, log and batches, which behave like runs on a
  /// larger store with the usual settings.
  ///
  /// Probes on stores of the largest measured size imitate larger sizes. The other probes imitate
  /// measured sizes, which shows how accurate the imitation is.
  package var probes: [Turn] {
    guard rungs.count >= 9, let top = rungs.last else { return [] }
    let beyond = [2, 4, 8, 16].map { Turn(objects: top, cacheDivisor: $0) }
    // Check the imitation on stores two and four doublings below the largest size.
    let checks = [5, 9].filter { $0 <= rungs.count }
      .map { Turn(objects: rungs[rungs.count - $0], cacheDivisor: 4) }
    return beyond + checks
  }

  /// The rung that is repeated regularly: the middle rung, whose runs are neither dominated by
  /// start-up nor slow.
  package var anchor: Int { rungs.isEmpty ? 0 : rungs[rungs.count / 2] }

  /// The runs in random order, with a run of the anchor at regular intervals.
  package var turns: [Turn] {
    var generator = SplitMix64(state: seed)
    let runs =
      rungs.enumerated().flatMap { index, size in
        let isLarge = index >= rungs.count - 4
        return Array(repeating: Turn(objects: size), count: isLarge ? min(repeats, 3) : repeats)
      }
      + truths.flatMap { Array(repeating: Turn(objects: $0), count: truthRepeats) }
      + probes
    var turns: [Turn] = []
    for (index, run) in runs.shuffled(using: &generator).enumerated() {
      if index.isMultiple(of: Self.anchorDistance) {
        turns.append(Turn(objects: anchor, isAnchor: true))
      }
      turns.append(run)
    }
    return turns.isEmpty ? [] : turns + [Turn(objects: anchor, isAnchor: true)]
  }
}
