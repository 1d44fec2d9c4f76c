import Basics

/// The sizes that a migration is measured at, and the order of the runs.
///
/// The order is random over all rungs and repeats: in a rising one, a machine that grows slower
/// would look like a cost that grows with the store. One rung, the anchor, comes again and again to
/// show such a drift.
package struct LadderDesign: Hashable, Sendable {
  /// One run of the ladder.
  package struct Turn: Hashable, Sendable {
    /// How many objects the store has to have, of all entities together.
    package let objects: Int
    package var isAnchor = false
    /// The divisor of the page cache and, of a migration, of its log and batches; usually 1.
    package var cacheDivisor = 1
  }

  /// The runs between two of the anchor's.
  package static let anchorDistance = 5

  /// Objects, rising.
  package let rungs: [Int]
  /// How often each is measured; the four largest, which take most of the time, three times at most.
  package let repeats: Int
  /// Sizes beyond the top that are measured as well, but never learnt from: to judge a forecast.
  package let truths: [Int]
  /// How often each of those is measured.
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

  /// From 1,000 to 128,000 objects by the square root of two, five times each, the largest three times.
  package static func full(seed: UInt64 = 1) -> LadderDesign {
    LadderDesign(rungs: steps(from: 1000, halves: 14), repeats: 5, seed: seed)
  }

  /// The largest size of a quick ladder, and of a full one.
  package static let (quickTop, fullTop) = (16_000, 128_000)

  /// From 1,000 to 16,000 objects by the square root of two, twice each.
  package static func quick(seed: UInt64 = 1) -> LadderDesign {
    LadderDesign(rungs: steps(from: 1000, halves: 8), repeats: 2, seed: seed)
  }

  /// So many steps by the square root of two, which shows where dictionaries double.
  package static func steps(from first: Int, halves: Int) -> [Int] {
    (0...halves).map { step in
      let whole = Double(first << (step / 2))
      return Int((step.isMultiple(of: 2) ? whole : whole * 2.0.squareRoot()).rounded())
    }
  }

  /// Runs with a smaller page cache, log and batches, which show what a larger store does to the whole
  /// ones.
  ///
  /// Those at the top look beyond it. The others repeat measured sizes,
  /// which shows how good the imitation is.
  package var probes: [Turn] {
    guard rungs.count >= 9, let top = rungs.last else { return [] }
    let beyond = [2, 4, 8, 16].map { Turn(objects: top, cacheDivisor: $0) }
    // Two octaves below the top, four octaves below it.
    let checks = [5, 9].filter { $0 <= rungs.count }
      .map { Turn(objects: rungs[rungs.count - $0], cacheDivisor: 4) }
    return beyond + checks
  }

  /// The rung that comes again and again: the middle one, which is neither all start-up nor slow.
  package var anchor: Int { rungs.isEmpty ? 0 : rungs[rungs.count / 2] }

  /// All runs in their order.
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
