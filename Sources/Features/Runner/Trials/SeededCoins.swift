import Basics

/// Draws that a seed, a name and a number decide: the same in every run of the same seed.
package struct SeededCoins {
  private var numbers: SplitMix64

  package init(seed: UInt64, name: String, number: Int) {
    let position = seed &+ UInt64(bitPattern: Int64(number)) &* SplitMix64.increment
    numbers = SplitMix64(state: SplitMix64.mix(SplitMix64.hash(name) ^ position))
  }

  /// Heads or tails.
  package mutating func flip() -> Bool { numbers.next() >> 63 == 1 }

  /// A number below a bound.
  package mutating func number(below bound: UInt64) -> Int { Int(numbers.next() % bound) }

  /// What the length of a variable in a worker's environment stays below.
  package static let paddingBound: UInt64 = 4096

  /// The length of a variable in a worker's environment, drawn for each trial.
  ///
  /// Where the stack begins depends on it, and so do times; one layout for all trials would pass
  /// for a property of the case (statistics.md, section 2). The workload's seed decides it.
  package static func padding(seed: UInt64, case id: String, trial: Int) -> Int {
    var coins = SeededCoins(seed: seed, name: id, number: trial)
    return coins.number(below: paddingBound)
  }
}
