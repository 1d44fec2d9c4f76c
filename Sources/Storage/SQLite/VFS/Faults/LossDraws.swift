import Basics

/// Draws that a seed decides.
struct LossDraws {
  private var numbers: SplitMix64

  init(seed: UInt64) {
    numbers = SplitMix64(state: seed)
  }

  mutating func next(below bound: Int) -> Int { Int(numbers.next() % UInt64(bound)) }
}
