import Basics

/// Random words that depend on a few numbers only: the same for every thread, order and machine.
enum SeededBits {
  /// A word of a seed, a purpose and a position.
  static func word(_ seed: UInt64, _ purpose: UInt64, _ position: UInt64) -> UInt64 {
    mixed(mixed(seed &+ purpose &* SplitMix64.increment) ^ position &* 0xd1b5_4a32_d192_ed03)
  }

  private static func mixed(_ word: UInt64) -> UInt64 {
    SplitMix64.mix(word &+ SplitMix64.increment)
  }
}
