import Basics
import Generators

/// Picks the objects of the steps at random, determined by a seed.
struct StepPicks {
  private let seed: UInt64
  private var draws: Draws
  /// A step's number and the relationship for which it picks objects.
  ///
  /// The relationship is empty if the step picks the objects that it works on.
  private struct Place: Hashable {
    let step: Int
    let relationship: String
  }

  /// The next position for each choice of objects in the order of their keys.
  private var places: [Place: Int] = [:]

  init(seed: UInt64) {
    self.seed = seed
    draws = Draws(state: seed ^ 0x7374_6570_73)
  }

  /// A random number from 0 to 1.
  mutating func unit() -> Double { draws.unit() }

  /// A random number of objects for a step, within the step's range.
  mutating func count(of step: Step) -> Int { step.objects.number(draws.next()) }

  /// Picks objects for a step, without duplicates; returns an empty array if there are no objects.
  mutating func pick(_ step: Step, _ number: Int, among all: [Int64]) -> [Int64] {
    pick(count(of: step), step, number, among: all)
  }

  /// Picks a number of objects for a step, or all if there are fewer.
  mutating func pick(_ count: Int, _ step: Step, _ number: Int, among all: [Int64]) -> [Int64] {
    let count = min(count, all.count)
    guard count > 0 else { return [] }
    let choice = step.choose ?? .inTurn
    guard !step.isAdjacent else {
      let first = min(place(choice, among: all.count, number), all.count - count)
      return Array(all[first..<first + count])
    }
    return pick(count, choice, among: all, number)
  }

  /// Picks the given number of objects for a step, or all objects if there are fewer.
  ///
  /// If a relationship is given, the step sets this relationship to the picked objects.
  mutating func pick(
    _ count: Int,
    _ choice: Step.Choice,
    among all: [Int64],
    _ number: Int,
    of relationship: String = ""
  ) -> [Int64] {
    var taken: Set<Int> = []
    var picked: [Int64] = []
    for _ in 0..<min(count, all.count) {
      var found = place(choice, among: all.count, number, of: relationship)
      while !taken.insert(found).inserted { found = (found + 1) % all.count }
      picked.append(all[found])
    }
    return picked
  }

  private mutating func place(
    _ choice: Step.Choice,
    among count: Int,
    _ number: Int,
    of relationship: String = ""
  ) -> Int {
    switch choice {
    case .inTurn:
      let place = Place(step: number, relationship: relationship)
      defer { places[place, default: 0] += 1 }
      return places[place, default: 0] % count
    case .uniform: return Int(draws.next() % UInt64(count))
    case .zipfian:
      return Int(SplitMix64.word(seed, 0x7a69_7066, UInt64(rank(count))) % UInt64(count))
    case .latest: return count - 1 - rank(count)
    }
  }

  /// A Zipf-distributed rank, starting at 0, with the exponent of the YCSB benchmark.
  private mutating func rank(_ count: Int) -> Int {
    let ranks = DistributionRecipe(.zipfian(exponent: 0.99, count: count))
    return min(count - 1, Int(ranks.value(&draws)) - 1)
  }
}
