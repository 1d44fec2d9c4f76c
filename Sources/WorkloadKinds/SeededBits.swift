/// Words that nothing but a few numbers decide: the same for every thread, order and machine.
enum SeededBits {
  /// A word of a seed, a purpose and a position: two rounds of SplitMix64's mixing, Steele, Lea
  /// and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
  static func word(_ seed: UInt64, _ purpose: UInt64, _ position: UInt64) -> UInt64 {
    mixed(mixed(seed &+ purpose &* 0x9e37_79b9_7f4a_7c15) ^ position &* 0xd1b5_4a32_d192_ed03)
  }

  private static func mixed(_ word: UInt64) -> UInt64 {
    var word = word &+ 0x9e37_79b9_7f4a_7c15
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}
