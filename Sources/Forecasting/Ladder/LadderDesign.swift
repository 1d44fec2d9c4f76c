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
    package let isAnchor: Bool

    package init(objects: Int, isAnchor: Bool) {
      self.objects = objects
      self.isAnchor = isAnchor
    }
  }

  /// The runs between two of the anchor's.
  package static let anchorDistance = 5

  /// Objects, rising.
  package let rungs: [Int]
  package let repeats: Int
  package let seed: UInt64

  package init(rungs: [Int], repeats: Int, seed: UInt64 = 1) {
    self.rungs = rungs.sorted()
    self.repeats = repeats
    self.seed = seed
  }

  /// From 1,000 to 64,000 objects by the square root of two, three times each.
  package static func full(seed: UInt64 = 1) -> LadderDesign {
    LadderDesign(rungs: steps(from: 1000, halves: 12), repeats: 3, seed: seed)
  }

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

  /// The ladder with rungs beyond its top, up to twice a bend that would not be seen otherwise.
  package func reaching(_ bend: Double) -> LadderDesign {
    guard let top = rungs.last, bend.isFinite, bend * 2 > Double(top) else { return self }
    var rungs = rungs
    while let last = rungs.last, Double(last) < bend * 2, last < top * 8 {
      rungs.append(Int((Double(last) * 2.0.squareRoot()).rounded()))
    }
    return LadderDesign(rungs: rungs, repeats: repeats, seed: seed)
  }

  /// The rung that comes again and again: the middle one, which is neither all start-up nor slow.
  package var anchor: Int { rungs.isEmpty ? 0 : rungs[rungs.count / 2] }

  /// All runs in their order.
  package var turns: [Turn] {
    var generator = SeededGenerator(seed: seed)
    let runs = rungs.flatMap { Array(repeating: $0, count: repeats) }
      .shuffled(using: &generator)
    var turns: [Turn] = []
    for (index, objects) in runs.enumerated() {
      if index.isMultiple(of: Self.anchorDistance) {
        turns.append(Turn(objects: anchor, isAnchor: true))
      }
      turns.append(Turn(objects: objects, isAnchor: false))
    }
    return turns.isEmpty ? [] : turns + [Turn(objects: anchor, isAnchor: true)]
  }
}
