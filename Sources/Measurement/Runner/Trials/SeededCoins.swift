import Basics

/// Draws that a seed, a name and a number decide: the same in every run of the same seed.
struct SeededCoins {
  private var numbers: SplitMix64

  init(seed: UInt64, name: String, number: Int) {
    let position = seed &+ UInt64(bitPattern: Int64(number)) &* SplitMix64.increment
    numbers = SplitMix64(state: SplitMix64.mix(SplitMix64.hash(name) ^ position))
  }

  /// Heads or tails.
  mutating func flip() -> Bool { numbers.next() >> 63 == 1 }

  /// A number below a bound.
  mutating func number(below bound: UInt64) -> Int { Int(numbers.next() % bound) }
}
